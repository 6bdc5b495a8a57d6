
'use strict';
{
  const globals = this;
  const django = globals.django || (globals.django = {});

  
  django.pluralidx = function(n) {
    const v = 0;
    if (typeof v === 'boolean') {
      return v ? 1 : 0;
    } else {
      return v;
    }
  };
  

  /* gettext library */

  django.catalog = django.catalog || {};
  
  const newcatalog = {
    "%(Unit)s": "%(Unit)s",
    "%(Unit)s above %(amount)s": "%(Unit)s\u9ad8\u4e8e %(amount)s",
    "%(accounts)s and %(records)s": "%(accounts)s\u548c %(records)s",
    "%(action)s (%(seconds)s s)": "%(action)s\uff08%(seconds)s \u79d2\uff09",
    "%(amount)s %(unit)s": "%(amount)s %(unit)s",
    "%(amount)s archived %(unit)s": "\u5df2\u5f52\u6863 %(amount)s %(unit)s",
    "%(amount)s of them end on %(day)s.": "\u5176\u4e2d %(amount)s \u4e8e %(day)s \u5230\u671f\u3002",
    "%(chars)s chars": "%(chars)s \u4e2a\u5b57\u7b26",
    "%(chars)s chars, ...%(tail)s": "%(chars)s \u4e2a\u5b57\u7b26\uff0c...%(tail)s",
    "%(count)s account": [
      "%(count)s \u4e2a\u8d26\u53f7"
    ],
    "%(count)s call from before %(day)s would be erased.": [
      "\u5c06\u6e05\u9664 %(day)s \u4e4b\u524d\u7684 %(count)s \u6b21\u8c03\u7528\u3002"
    ],
    "%(count)s call of other models": [
      "\u5176\u4ed6\u6a21\u578b %(count)s \u6b21\u8c03\u7528"
    ],
    "%(count)s call of unknown amount": [
      "%(count)s \u6b21\u8c03\u7528\u91d1\u989d\u672a\u77e5"
    ],
    "%(count)s call, %(credits)s": [
      "%(count)s \u6b21\u8c03\u7528\uff0c%(credits)s"
    ],
    "%(count)s character": [
      "%(count)s \u4e2a\u5b57\u7b26"
    ],
    "%(count)s client": [
      "%(count)s \u4e2a\u5ba2\u6237\u7aef"
    ],
    "%(count)s day differs from the daily sums of %(service)s": [
      "%(count)s \u5929\u4e0e %(service)s \u7684\u6bcf\u65e5\u5408\u8ba1\u4e0d\u4e00\u81f4"
    ],
    "%(count)s day differs from the daily sums of %(service)s.": [
      "%(count)s \u5929\u4e0e %(service)s \u7684\u6bcf\u65e5\u5408\u8ba1\u4e0d\u4e00\u81f4\u3002"
    ],
    "%(count)s day is not compared": [
      "%(count)s \u5929\u5c1a\u672a\u6838\u5bf9"
    ],
    "%(count)s day is not complete": [
      "%(count)s \u5929\u4e0d\u5b8c\u6574"
    ],
    "%(count)s day is not complete.": [
      "%(count)s \u5929\u4e0d\u5b8c\u6574\u3002"
    ],
    "%(count)s day lacks prompts; its calls are complete.": [
      "%(count)s \u5929\u7f3a\u5c11\u63d0\u793a\u8bcd\uff0c\u4f46\u8c03\u7528\u5b8c\u6574\u3002"
    ],
    "%(count)s day not archived": [
      "%(count)s \u5929\u672a\u5f52\u6863"
    ],
    "%(count)s days ago": "%(count)s \u5929\u524d",
    "%(count)s free call": [
      "%(count)s \u6b21\u514d\u8d39\u8c03\u7528"
    ],
    "%(count)s from the cache": "\u8bfb\u7f13\u5b58 %(count)s",
    "%(count)s h ago": "%(count)s \u5c0f\u65f6\u524d",
    "%(count)s in": "\u8f93\u5165 %(count)s",
    "%(count)s into the cache": "\u5199\u7f13\u5b58 %(count)s",
    "%(count)s line copied.": [
      "\u5df2\u590d\u5236 %(count)s \u884c\u3002"
    ],
    "%(count)s min ago": "%(count)s \u5206\u949f\u524d",
    "%(count)s model": [
      "%(count)s \u4e2a\u6a21\u578b"
    ],
    "%(count)s more day follows: a collection may span at most %(most)s days.": [
      "\u4e4b\u540e\u8fd8\u6709 %(count)s \u5929\uff1a\u4e00\u6b21\u91c7\u96c6\u6700\u591a\u53ef\u8de8 %(most)s \u5929\u3002"
    ],
    "%(count)s more; type to find them": "\u53e6\u6709 %(count)s \u9879\uff0c\u8f93\u5165\u6587\u5b57\u5373\u53ef\u67e5\u627e",
    "%(count)s of %(total)s days is missing or not complete.": [
      "%(total)s \u5929\u4e2d\u6709 %(count)s \u5929\u7f3a\u5931\u6216\u4e0d\u5b8c\u6574\u3002"
    ],
    "%(count)s of the days compared with is not archived": [
      "\u5bf9\u6bd4\u7684\u65e5\u671f\u4e2d\u6709 %(count)s \u5929\u672a\u5f52\u6863"
    ],
    "%(count)s other: %(credits)s %(unit)s": [
      "\u5176\u4ed6 %(count)s \u9879\uff1a%(credits)s %(unit)s"
    ],
    "%(count)s out": "\u8f93\u51fa %(count)s",
    "%(count)s prompt would be erased.": [
      "\u5c06\u6e05\u9664 %(count)s \u6761\u63d0\u793a\u8bcd\u3002"
    ],
    "%(count)s purpose": [
      "%(count)s \u4e2a\u7528\u9014"
    ],
    "%(count)s record": [
      "%(count)s \u6761\u8bb0\u5f55"
    ],
    "%(count)s result": [
      "%(count)s \u4e2a\u7ed3\u679c"
    ],
    "%(count)s unsaved change": [
      "%(count)s \u9879\u4fee\u6539\u672a\u4fdd\u5b58"
    ],
    "%(credits)s credits": "%(credits)s \u79ef\u5206",
    "%(day)s, %(hour)s:00 to %(hour)s:59": "%(day)s %(hour)s:00 \u81f3 %(hour)s:59",
    "%(day)s, no calls": "%(day)s\uff0c\u65e0\u8c03\u7528",
    "%(days)s (%(why)s)": "%(days)s\uff08%(why)s\uff09",
    "%(days)s until %(time)s": "%(days)s\uff0c\u622a\u81f3 %(time)s",
    "%(days)s, %(count)s day not archived": [
      "%(days)s\uff0c\u5176\u4e2d %(count)s \u5929\u672a\u5f52\u6863"
    ],
    "%(days)s, %(why)s": "%(days)s\uff0c%(why)s",
    "%(days)s, so far": "%(days)s\uff0c\u622a\u81f3\u76ee\u524d",
    "%(down)s fell by %(less)s.": "%(down)s \u51cf\u5c11 %(less)s\u3002",
    "%(every)s; the newest %(kept)s are kept.": "%(every)s\uff1b\u4fdd\u7559\u6700\u65b0\u7684 %(kept)s \u4efd\u3002",
    "%(first)s to %(last)s": "%(first)s \u81f3 %(last)s",
    "%(first)s to %(last)s of %(total)s": "\u7b2c %(first)s \u81f3 %(last)s \u6761\uff0c\u5171 %(total)s \u6761",
    "%(hours)s h %(minutes)s min": "%(hours)s \u5c0f\u65f6 %(minutes)s \u5206",
    "%(left)s left today.": "\u4eca\u5929\u8fd8\u5269 %(left)s \u79ef\u5206\u3002",
    "%(left)s left until %(day)s.": "\u8fd8\u5269 %(left)s \u79ef\u5206\uff0c\u53ef\u7528\u81f3 %(day)s\u3002",
    "%(message)s Older backups deleted: %(names)s.": "%(message)s\u5df2\u5220\u9664\u8f83\u65e7\u7684\u5907\u4efd\uff1a%(names)s\u3002",
    "%(message)s The archives could not be refreshed: %(reason)s": "%(message)s\u5f52\u6863\u6570\u636e\u5217\u8868\u672a\u80fd\u5237\u65b0\uff1a%(reason)s",
    "%(message)s The table could not be refreshed: %(reason)s": "%(message)s\u8868\u683c\u672a\u80fd\u5237\u65b0\uff1a%(reason)s",
    "%(message)s To transfer it to another account, run: %(command)s": "%(message)s\u8981\u8f6c\u7ed9\u5176\u4ed6\u8d26\u53f7\uff0c\u8bf7\u8fd0\u884c\uff1a%(command)s",
    "%(message)s Trying again.": "%(message)s\u6b63\u5728\u91cd\u8bd5\u3002",
    "%(minutes)s min %(seconds)s s": "%(minutes)s \u5206 %(seconds)s \u79d2",
    "%(model)s: about %(credits)s": "%(model)s\uff1a\u7ea6 %(credits)s",
    "%(month)s at this point": "%(month)s\u540c\u671f",
    "%(month)s is likely to end at %(range)s %(unit)s.": "%(month)s\u9884\u8ba1\u6d88\u8017 %(range)s %(unit)s\u3002",
    "%(month)s is likely to end at %(range)s of your %(budget)s.": "%(month)s\u9884\u8ba1\u6d88\u8017 %(range)s\uff0c\u9884\u7b97\u4e3a %(budget)s\u3002",
    "%(month)s will end at %(least)s to %(most)s %(unit)s.": "%(month)s\u9884\u8ba1\u6d88\u8017 %(least)s \u81f3 %(most)s %(unit)s\u3002",
    "%(month)s: %(count)s day not archived": [
      "%(month)s\uff1a%(count)s \u5929\u672a\u5f52\u6863"
    ],
    "%(name)s is needed.": "\u8bf7\u586b\u5199 %(name)s\u3002",
    "%(name)s \u00b7 %(credits)s %(unit)s": "%(name)s \u00b7 %(credits)s %(unit)s",
    "%(name)s: %(value)s": "%(name)s\uff1a%(value)s",
    "%(outcome)s %(when)s": "%(outcome)s \u00b7 %(when)s",
    "%(percent)s less than %(earlier)s": "\u51cf\u5c11 %(percent)s\uff08\u5bf9\u6bd4%(earlier)s\uff09",
    "%(percent)s more than %(earlier)s": "\u589e\u52a0 %(percent)s\uff08\u5bf9\u6bd4%(earlier)s\uff09",
    "%(period)s: %(sum)s": "%(period)s\uff1a%(sum)s",
    "%(period)s: %(sum)s so far": "%(period)s\uff1a\u622a\u81f3\u76ee\u524d %(sum)s",
    "%(period)s: %(sum)s, read until %(time)s": "%(period)s\uff1a%(sum)s\uff08\u8bfb\u53d6\u81f3 %(time)s\uff09",
    "%(period)s: not archived.": "%(period)s\uff1a\u672a\u5f52\u6863\u3002",
    "%(period)s: still to come.": "%(period)s\uff1a\u5c1a\u672a\u5230\u6765\u3002",
    "%(read)s call read, %(stored)s stored.": [
      "\u5df2\u8bfb\u53d6 %(read)s \u6b21\u8c03\u7528\uff0c\u5df2\u4fdd\u5b58 %(stored)s \u6b21\u3002"
    ],
    "%(seal)s, compared %(time)s": "%(seal)s\uff0c\u6700\u8fd1\u6838\u5bf9\uff1a%(time)s",
    "%(seal)s; %(count)s day is equal to the bill": [
      "%(seal)s\uff1b%(count)s \u5929\u4e0e\u8d26\u5355\u4e00\u81f4"
    ],
    "%(seal)s; the daily sums of %(count)s day agree": [
      "%(seal)s\uff1b\u5176\u4e2d %(count)s \u5929\u7684\u6bcf\u65e5\u5408\u8ba1\u4e00\u81f4"
    ],
    "%(seconds)s s": "%(seconds)s \u79d2",
    "%(service)s failed": "%(service)s\u8bf7\u6c42\u5931\u8d25",
    "%(service)s no longer gives these days": "%(service)s\u4e0d\u518d\u63d0\u4f9b\u8fd9\u4e9b\u65e5\u671f\u7684\u6570\u636e",
    "%(service)s refuses the credential. Until you set a new one, the schedule tries only once a day.": "%(service)s \u62d2\u7edd\u4e86\u8bbf\u95ee\u51ed\u636e\u3002\u8bbe\u7f6e\u65b0\u7684\u51ed\u636e\u4e4b\u524d\uff0c\u5b9a\u65f6\u4efb\u52a1\u6bcf\u5929\u53ea\u5c1d\u8bd5\u4e00\u6b21\u3002",
    "%(share)s of the input came from the cache.": "\u8f93\u5165\u4e2d\u6709 %(share)s \u6765\u81ea\u7f13\u5b58\u3002",
    "%(spent)s of %(whole)s %(unit)s, %(share)s": "\u5df2\u7528 %(spent)s / %(whole)s %(unit)s\uff0c%(share)s",
    "%(state)s: %(count)s": "%(state)s\uff1a%(count)s",
    "%(status)s after %(time)s ms": "%(status)s\uff0c\u7528\u65f6 %(time)s ms",
    "%(sum)s, %(change)s.": "%(sum)s\uff0c%(change)s\u3002",
    "%(sum)s.": "%(sum)s\u3002",
    "%(time)s is already in the list.": "%(time)s \u5df2\u5728\u5217\u8868\u4e2d\u3002",
    "%(time)s: %(fetched)s fetched, %(added)s new, %(known)s already known. %(message)s": "%(time)s\uff1a\u5df2\u8bfb\u53d6 %(fetched)s \u6761\uff0c\u65b0\u589e %(added)s \u6761\uff0c\u5df2\u6709 %(known)s \u6761\u3002%(message)s",
    "%(total)s in %(count)s file; %(free)s of disk space free.": [
      "%(count)s \u4e2a\u6587\u4ef6\uff0c\u5171 %(total)s\uff1b\u78c1\u76d8\u5269\u4f59 %(free)s\u3002"
    ],
    "%(up)s rose by %(more)s, %(down)s fell by %(less)s.": "%(up)s \u589e\u52a0 %(more)s\uff0c%(down)s \u51cf\u5c11 %(less)s\u3002",
    "%(up)s rose by %(more)s.": "%(up)s \u589e\u52a0 %(more)s\u3002",
    "%(what)s of %(model)s: %(here)s here, %(there)s in the daily sums": "%(model)s \u7684%(what)s\uff1a\u672c\u5730 %(here)s\uff0c\u6bcf\u65e5\u5408\u8ba1 %(there)s",
    "A collection may span at most %(most)s days.": "\u4e00\u6b21\u91c7\u96c6\u6700\u591a\u53ef\u8de8 %(most)s \u5929\u3002",
    "A forecast needs seven archived days of the last eight weeks.": "\u9884\u6d4b\u9700\u8981\u6700\u8fd1\u516b\u5468\u5185\u81f3\u5c11\u4e03\u5929\u7684\u5f52\u6863\u6570\u636e\u3002",
    "A password is needed.": "\u8bf7\u8f93\u5165\u5bc6\u7801\u3002",
    "A verification changes nothing. Start it again for a report.": "\u6838\u5bf9\u4e0d\u4fee\u6539\u4efb\u4f55\u5185\u5bb9\u3002\u5982\u9700\u62a5\u544a\uff0c\u8bf7\u91cd\u65b0\u5f00\u59cb\u3002",
    "API reference": "API \u53c2\u8003",
    "Account full": "\u5b58\u50a8\u7a7a\u95f4\u5df2\u6ee1",
    "Accounts": "\u8d26\u53f7",
    "Actions": "\u64cd\u4f5c",
    "Add an archive": "\u65b0\u5efa\u5f52\u6863\u6570\u636e",
    "Addresses for notices": "\u901a\u77e5\u63a5\u6536\u5730\u5740",
    "All actions": "\u5168\u90e8\u64cd\u4f5c",
    "All days": "\u5168\u90e8\u65e5\u671f",
    "An administrator can change this in the settings.": "\u7ba1\u7406\u5458\u53ef\u5728\u8bbe\u7f6e\u4e2d\u4fee\u6539\u3002",
    "An empty list returns to the default times.": "\u7559\u7a7a\u5219\u6062\u590d\u9ed8\u8ba4\u65f6\u95f4\u3002",
    "Another address needs the credential again.": "\u66f4\u6362\u5730\u5740\u540e\u9700\u8981\u91cd\u65b0\u8f93\u5165\u8bbf\u95ee\u51ed\u636e\u3002",
    "Asking CodeBuddy\u2026": "\u6b63\u5728\u8bf7\u6c42\u4e0a\u6e38\u670d\u52a1\u2026",
    "Asking\u2026": "\u6b63\u5728\u8bf7\u6c42\u2026",
    "At this pace used up on %(at)s.": "\u6309\u5f53\u524d\u6d88\u8017\u901f\u5ea6\uff0c\u9884\u8ba1 %(at)s \u7528\u5b8c\u3002",
    "At your pace %(amount)s will be unused on %(day)s.": "\u6309\u5f53\u524d\u6d88\u8017\u901f\u5ea6\uff0c%(day)s \u5230\u671f\u65f6\u9884\u8ba1\u6709 %(amount)s \u672a\u4f7f\u7528\u3002",
    "At your pace they last until %(day)s.": "\u6309\u5f53\u524d\u6d88\u8017\u901f\u5ea6\uff0c\u9884\u8ba1\u53ef\u7528\u81f3 %(day)s\u3002",
    "Audit and log": "\u5ba1\u8ba1\u4e0e\u65e5\u5fd7",
    "Automatic backups": "\u81ea\u52a8\u5907\u4efd",
    "Average %(unit)s": "\u5e73\u5747%(unit)s",
    "Backups": "\u5907\u4efd",
    "Bar chart of %(unit)s; the table below shows the same values.": "%(unit)s\u67f1\u72b6\u56fe\uff1b\u4e0b\u65b9\u6709\u76f8\u540c\u6570\u636e\u7684\u8868\u683c\u3002",
    "Bar chart of calls; the table below shows the same values.": "\u8c03\u7528\u67f1\u72b6\u56fe\uff1b\u4e0b\u65b9\u6709\u76f8\u540c\u6570\u636e\u7684\u8868\u683c\u3002",
    "Bar chart of free and billed calls; the table below shows the same values.": "\u514d\u8d39\u8c03\u7528\u4e0e\u8ba1\u8d39\u8c03\u7528\u67f1\u72b6\u56fe\uff1b\u4e0b\u65b9\u6709\u76f8\u540c\u6570\u636e\u7684\u8868\u683c\u3002",
    "Bar chart of tokens; the table below shows the same values.": "token \u6570\u67f1\u72b6\u56fe\uff1b\u4e0b\u65b9\u8868\u683c\u663e\u793a\u76f8\u540c\u7684\u6570\u503c\u3002",
    "Before": "\u5bf9\u6bd4\u671f",
    "Billed calls": "\u8ba1\u8d39\u8c03\u7528",
    "Budget of a day: %(credits)s": "\u6bcf\u65e5\u9884\u7b97\uff1a%(credits)s",
    "Budgets": "\u9884\u7b97",
    "Cache read": "\u8bfb\u53d6\u7f13\u5b58",
    "Cache write": "\u5199\u5165\u7f13\u5b58",
    "Calls": "\u8c03\u7528",
    "Calls at %(service)s": "%(service)s\u7684\u8c03\u7528",
    "Calls here": "\u5f52\u6863\u6570\u636e\u4e2d\u7684\u8c03\u7528",
    "Calls of %(first)s may be missing.": [
      "%(first)s \u81f3 %(last)s \u4e4b\u95f4\u6709 %(count)s \u5929\u7684\u8c03\u7528\u53ef\u80fd\u7f3a\u5931\u3002"
    ],
    "Calls of all models together.": "\u6240\u6709\u6a21\u578b\u7684\u8c03\u7528\u5408\u8ba1\u3002",
    "Change password": "\u4fee\u6539\u5bc6\u7801",
    "Change the budget": "\u4fee\u6539\u9884\u7b97",
    "Change the budget: %(name)s": "\u4fee\u6539\u9884\u7b97\uff1a%(name)s",
    "Cheapest model": "\u6700\u4fbf\u5b9c\u7684\u6a21\u578b",
    "Check the User-Agent in the settings": "\u5728\u8bbe\u7f6e\u4e2d\u68c0\u67e5 User-Agent",
    "Check the backup of %(at)s": "\u68c0\u67e5 %(at)s \u7684\u5907\u4efd",
    "Checked: it can be restored.": "\u5df2\u68c0\u67e5\uff1a\u53ef\u4ee5\u6062\u590d\u3002",
    "Checking the whole file\u2026": "\u6b63\u5728\u68c0\u67e5\u6574\u4e2a\u6587\u4ef6\u2026",
    "Choose a file.": "\u8bf7\u9009\u62e9\u6587\u4ef6\u3002",
    "Choose a first day and a last day that is not before it.": "\u8bf7\u9009\u62e9\u5f00\u59cb\u65e5\u671f\uff0c\u4ee5\u53ca\u4e0d\u65e9\u4e8e\u5f00\u59cb\u65e5\u671f\u7684\u7ed3\u675f\u65e5\u671f\u3002",
    "Choose the first day, then the last one.": "\u5148\u9009\u62e9\u5f00\u59cb\u65e5\u671f\uff0c\u518d\u9009\u62e9\u7ed3\u675f\u65e5\u671f\u3002",
    "Click a day that is not complete, or drag over several days, to fetch them.": "\u70b9\u51fb\u6216\u62d6\u9009\u6570\u636e\u4e0d\u5b8c\u6574\u7684\u65e5\u671f\u5373\u53ef\u91c7\u96c6\u3002",
    "Click, or press Enter, to fetch.": "\u70b9\u51fb\u6216\u6309 Enter \u952e\u91c7\u96c6\u3002",
    "Client": "\u5ba2\u6237\u7aef",
    "Clients": "\u5ba2\u6237\u7aef",
    "CodeBuddy": "\u4e0a\u6e38\u670d\u52a1",
    "CodeBuddy cannot be reached": "\u65e0\u6cd5\u8fde\u63a5\u4e0a\u6e38\u670d\u52a1",
    "CodeBuddy has a problem": "\u4e0a\u6e38\u670d\u52a1\u51fa\u73b0\u95ee\u9898",
    "CodeBuddy refuses the token. Until you paste a new one, the schedule tries only once a day.": "CodeBuddy \u62d2\u7edd\u4e86\u4ee4\u724c\u3002\u7c98\u8d34\u65b0\u7684\u4ee4\u724c\u4e4b\u524d\uff0c\u5b9a\u65f6\u4efb\u52a1\u6bcf\u5929\u53ea\u5c1d\u8bd5\u4e00\u6b21\u3002",
    "Collected": "\u91c7\u96c6\u5b8c\u6210",
    "Collected: %(count)s new": "\u91c7\u96c6\u5b8c\u6210\uff1a\u65b0\u589e %(count)s \u6761",
    "Collecting": "\u91c7\u96c6\u4e2d",
    "Collection": "\u91c7\u96c6",
    "Collection failed": "\u91c7\u96c6\u5931\u8d25",
    "Collection interrupted": "\u91c7\u96c6\u5df2\u4e2d\u65ad",
    "Collection waiting": "\u7b49\u5f85\u91c7\u96c6",
    "Cookie and User-Agent saved.": "Cookie \u548c User-Agent \u5df2\u4fdd\u5b58\u3002",
    "Cookie expired": "Cookie \u5df2\u8fc7\u671f",
    "Cookie saved.": "Cookie \u5df2\u4fdd\u5b58\u3002",
    "Cookie unreadable": "Cookie \u65e0\u6cd5\u8bfb\u53d6",
    "Cookie, and when it ends": "Cookie \u53ca\u5230\u671f\u65f6\u95f4",
    "Copied.": "\u5df2\u590d\u5236\u3002",
    "Copy it with the keyboard.": "\u8bf7\u7528\u952e\u76d8\u590d\u5236\u3002",
    "Copy the link with the keyboard.": "\u8bf7\u7528\u952e\u76d8\u590d\u5236\u94fe\u63a5\u3002",
    "Cost": "\u8ba1\u8d39\u7c7b\u578b",
    "Counted": "\u7edf\u8ba1\u65f6\u95f4",
    "Creating\u2026": "\u6b63\u5728\u521b\u5efa\u2026",
    "Credential cleared.": "\u8bbf\u95ee\u51ed\u636e\u5df2\u6e05\u9664\u3002",
    "Credential refused": "\u8bbf\u95ee\u51ed\u636e\u88ab\u62d2\u7edd",
    "Credential saved.": "\u8bbf\u95ee\u51ed\u636e\u5df2\u4fdd\u5b58\u3002",
    "Credential unreadable": "\u8bbf\u95ee\u51ed\u636e\u65e0\u6cd5\u8bfb\u53d6",
    "Credits": "\u79ef\u5206",
    "Day": "\u65e5\u671f",
    "Day %(day)s": "\u7b2c %(day)s \u5929",
    "Days": "\u6309\u5929",
    "Delete a backup": "\u5220\u9664\u5907\u4efd",
    "Delete an account": "\u5220\u9664\u8d26\u53f7",
    "Delete the backup of %(at)s": "\u5220\u9664 %(at)s \u7684\u5907\u4efd",
    "Delete the view \u201c%(name)s\u201d": "\u5220\u9664\u89c6\u56fe\u201c%(name)s\u201d",
    "Done": "\u5b8c\u6210",
    "Done, but CodeBuddy has no calls in this time window.": "\u5df2\u5b8c\u6210\uff0c\u4f46\u4e0a\u6e38\u670d\u52a1\u5728\u6b64\u65f6\u95f4\u7a97\u53e3\u5185\u6ca1\u6709\u8c03\u7528\u3002",
    "Done.": "\u5df2\u5b8c\u6210\u3002",
    "Download": "\u4e0b\u8f7d",
    "Download the backup of %(at)s": "\u4e0b\u8f7d %(at)s \u7684\u5907\u4efd",
    "Each bar is one hour, all models together.": "\u6bcf\u6839\u67f1\u4ee3\u8868\u4e00\u5c0f\u65f6\uff0c\u6240\u6709\u6a21\u578b\u5408\u8ba1\u3002",
    "Email and name": "\u90ae\u7bb1\u548c\u663e\u793a\u540d\u79f0",
    "Enter a time first.": "\u8bf7\u5148\u8f93\u5165\u65f6\u95f4\u3002",
    "Estimate": "\u4f30\u7b97",
    "Every call that %(service)s lists from %(first)s to %(last)s is here": "%(first)s\u81f3 %(last)s%(service)s\u5217\u51fa\u7684\u8c03\u7528\u5747\u5df2\u5f52\u6863",
    "Every call that %(service)s lists since %(first)s is here": "\u81ea %(first)s\u8d77%(service)s\u5217\u51fa\u7684\u8c03\u7528\u5747\u5df2\u5f52\u6863",
    "Export %(count)s record": [
      "\u5bfc\u51fa %(count)s \u6761\u8bb0\u5f55"
    ],
    "Export records": "\u5bfc\u51fa\u8bb0\u5f55",
    "Failed": "\u5931\u8d25",
    "File": "\u6587\u4ef6",
    "Fill prompts": "\u8865\u5168\u63d0\u793a\u8bcd",
    "Following the log.": "\u6b63\u5728\u8ddf\u8e2a\u65e5\u5fd7\u3002",
    "Following the log; you have scrolled up.": "\u6b63\u5728\u8ddf\u8e2a\u65e5\u5fd7\uff1b\u5f53\u524d\u663e\u793a\u7684\u662f\u8f83\u65e9\u7684\u5185\u5bb9\u3002",
    "Forecast": "\u9884\u6d4b",
    "Forecast of the month": "\u672c\u6708\u9884\u6d4b",
    "Free calls": "\u514d\u8d39\u8c03\u7528",
    "From files: nothing says whether all calls are here": "\u6765\u81ea\u6587\u4ef6\uff1a\u65e0\u6cd5\u786e\u8ba4\u8c03\u7528\u662f\u5426\u5b8c\u6574",
    "Heat map of average %(unit)s by weekday and hour; the table below shows the same values.": "\u6309\u661f\u671f\u548c\u5c0f\u65f6\u7684\u5e73\u5747%(unit)s\u70ed\u529b\u56fe\uff1b\u4e0b\u65b9\u6709\u76f8\u540c\u6570\u636e\u7684\u8868\u683c\u3002",
    "Heat map of the %(unit)s of each day in the last 12 months; the table below shows the same values.": "\u6700\u8fd1 12 \u4e2a\u6708\u7684\u6bcf\u65e5%(unit)s\u70ed\u529b\u56fe\uff1b\u4e0b\u65b9\u6709\u76f8\u540c\u6570\u636e\u7684\u8868\u683c\u3002",
    "Hide %(name)s": "\u9690\u85cf %(name)s",
    "Hour": "\u5c0f\u65f6",
    "Hours": "\u6309\u5c0f\u65f6",
    "How calls are collected": "\u91c7\u96c6\u8bbe\u7f6e",
    "How the test went is listed below.": "\u6d4b\u8bd5\u7ed3\u679c\u89c1\u4e0b\u65b9\u3002",
    "How the test went is listed with the webhook.": "\u6d4b\u8bd5\u7ed3\u679c\u663e\u793a\u5728\u8be5 Webhook \u65c1\u3002",
    "I am signed in again": "\u6211\u5df2\u91cd\u65b0\u767b\u5f55",
    "Import": "\u5bfc\u5165",
    "Import done": "\u5bfc\u5165\u5df2\u5b8c\u6210",
    "Import failed": "\u5bfc\u5165\u5931\u8d25",
    "Import interrupted": "\u5bfc\u5165\u5df2\u4e2d\u65ad",
    "Import waiting": "\u5bfc\u5165\u7b49\u5f85\u4e2d",
    "Importing": "\u6b63\u5728\u5bfc\u5165",
    "Internal error": "\u5185\u90e8\u9519\u8bef",
    "Interrupted": "\u5df2\u4e2d\u65ad",
    "Invite someone": "\u9080\u8bf7\u4ed6\u4eba",
    "It stops after the current page.": "\u5c06\u5728\u5f53\u524d\u9875\u5b8c\u6210\u540e\u505c\u6b62\u3002",
    "Keyboard shortcuts": "\u5feb\u6377\u952e",
    "Language": "\u8bed\u8a00",
    "Last 30 days": "\u6700\u8fd1 30 \u5929",
    "Last 7 days": "\u6700\u8fd1 7 \u5929",
    "Last 90 days": "\u6700\u8fd1 90 \u5929",
    "Last month": "\u4e0a\u6708",
    "Light or dark": "\u6d45\u8272\u6216\u6df1\u8272",
    "Line chart of the %(unit)s of this month and the month before; the table below shows the same values.": "\u672c\u6708\u4e0e\u4e0a\u6708%(unit)s\u7684\u6298\u7ebf\u56fe\uff1b\u4e0b\u65b9\u8868\u683c\u663e\u793a\u76f8\u540c\u7684\u6570\u503c\u3002",
    "Missing days": "\u7f3a\u5931\u7684\u65e5\u671f",
    "Model": "\u6a21\u578b",
    "Models": "\u6a21\u578b",
    "Month after": "\u4e0b\u4e2a\u6708",
    "Month before": "\u4e0a\u4e2a\u6708",
    "Months": "\u6309\u6708",
    "More than 120 days: each bar is one week.": "\u8d85\u8fc7 120 \u5929\uff1a\u6bcf\u6839\u67f1\u4ee3\u8868\u4e00\u5468\u3002",
    "More than two years: each bar is one month.": "\u8d85\u8fc7\u4e24\u5e74\uff1a\u6bcf\u6839\u67f1\u4ee3\u8868\u4e00\u4e2a\u6708\u3002",
    "Most on %(day)s": "%(day)s \u6700\u591a",
    "New input": "\u65b0\u8f93\u5165",
    "New lines are below.": "\u4e0b\u65b9\u6709\u65b0\u65e5\u5fd7\u3002",
    "Newest call: %(facts)s": "\u6700\u65b0\u8c03\u7528\uff1a%(facts)s",
    "Next runs: %(times)s.": "\u63a5\u4e0b\u6765\u7684\u91c7\u96c6\u4efb\u52a1\uff1a%(times)s\u3002",
    "No cookie": "\u65e0 Cookie",
    "No cookie is set, so nothing new is collected.": "\u672a\u8bbe\u7f6e Cookie\uff0c\u4e0d\u4f1a\u91c7\u96c6\u65b0\u6570\u636e\u3002",
    "No credential": "\u65e0\u8bbf\u95ee\u51ed\u636e",
    "No credential is set, so nothing new is collected.": "\u672a\u8bbe\u7f6e\u8bbf\u95ee\u51ed\u636e\uff0c\u56e0\u6b64\u4e0d\u4f1a\u91c7\u96c6\u65b0\u7684\u5185\u5bb9\u3002",
    "No data is lost. The next run completes this one. Press Collect to start it now.": "\u6570\u636e\u4e0d\u4f1a\u4e22\u5931\u3002\u4e0b\u4e00\u4e2a\u91c7\u96c6\u4efb\u52a1\u4f1a\u8865\u5168\u3002\u70b9\u51fb\u201c\u91c7\u96c6\u201d\u53ef\u7acb\u5373\u5f00\u59cb\u3002",
    "No data is lost. The next run reads what is missing.": "\u6570\u636e\u4e0d\u4f1a\u4e22\u5931\u3002\u4e0b\u4e00\u4e2a\u91c7\u96c6\u4efb\u52a1\u4f1a\u8bfb\u53d6\u7f3a\u5931\u7684\u90e8\u5206\u3002",
    "No data is lost. The next run requests what is missing again. Press Collect to start it now.": "\u6570\u636e\u4e0d\u4f1a\u4e22\u5931\u3002\u4e0b\u4e00\u4e2a\u91c7\u96c6\u4efb\u52a1\u4f1a\u91cd\u65b0\u8bf7\u6c42\u7f3a\u5931\u7684\u90e8\u5206\u3002\u70b9\u51fb\u201c\u91c7\u96c6\u201d\u53ef\u7acb\u5373\u5f00\u59cb\u3002",
    "No day is missing.": "\u6570\u636e\u65e0\u7f3a\u5931\u3002",
    "No day is missing: %(count)s day is complete.": [
      "\u6570\u636e\u65e0\u7f3a\u5931\uff1a%(count)s \u5929\u5168\u90e8\u5b8c\u6574\u3002"
    ],
    "No day is missing; %(count)s day may still change.": [
      "\u6570\u636e\u65e0\u7f3a\u5931\uff0c\u5176\u4e2d %(count)s \u5929\u53ef\u80fd\u53d8\u5316\u3002"
    ],
    "No entries match these filters.": "\u6ca1\u6709\u7b26\u5408\u7b5b\u9009\u6761\u4ef6\u7684\u6761\u76ee\u3002",
    "No entries yet. Each sign-in, change and collection will be listed here.": "\u6682\u65e0\u6761\u76ee\u3002\u767b\u5f55\u3001\u4fee\u6539\u548c\u91c7\u96c6\u90fd\u4f1a\u5217\u5728\u8fd9\u91cc\u3002",
    "No lines match these filters.": "\u6ca1\u6709\u7b26\u5408\u7b5b\u9009\u6761\u4ef6\u7684\u65e5\u5fd7\u884c\u3002",
    "No passkey was made.": "\u672a\u521b\u5efa\u901a\u884c\u5bc6\u94a5\u3002",
    "Not loaded yet.": "\u5c1a\u672a\u52a0\u8f7d\u3002",
    "Not up to date: %(why)s": "\u6570\u636e\u672a\u80fd\u66f4\u65b0\uff1a%(why)s",
    "Nothing was changed.": "\u6ca1\u6709\u4efb\u4f55\u4fee\u6539\u3002",
    "Nothing was collected": "\u672a\u80fd\u91c7\u96c6",
    "Nothing would be erased now.": "\u76ee\u524d\u6ca1\u6709\u9700\u8981\u6e05\u9664\u7684\u6570\u636e\u3002",
    "Now the last day.": "\u8bf7\u9009\u62e9\u7ed3\u675f\u65e5\u671f\u3002",
    "Off: nothing is collected automatically.": "\u5df2\u5173\u95ed\uff1a\u4e0d\u4f1a\u81ea\u52a8\u91c7\u96c6\u3002",
    "Older calls": "\u66f4\u65e9\u7684\u8c03\u7528",
    "Open archives": "\u6253\u5f00\u5f52\u6863\u6570\u636e",
    "Open settings": "\u6253\u5f00\u8bbe\u7f6e",
    "Open the record \u201c%(text)s\u201d": "\u6253\u5f00\u8bb0\u5f55\u201c%(text)s\u201d",
    "Other models": "\u5176\u4ed6\u6a21\u578b",
    "Output": "\u8f93\u51fa",
    "Packages of credits": "\u79ef\u5206\u5305",
    "Pages": "\u9875\u9762",
    "Paste a cookie first.": "\u8bf7\u5148\u7c98\u8d34 Cookie\u3002",
    "Paste a new cookie in the settings": "\u5728\u8bbe\u7f6e\u4e2d\u7c98\u8d34\u65b0\u7684 Cookie",
    "Paste a shorter cookie in the settings": "\u5728\u8bbe\u7f6e\u4e2d\u7c98\u8d34\u66f4\u77ed\u7684 Cookie",
    "Pause": "\u6682\u505c",
    "Paused.": "\u5df2\u6682\u505c\u3002",
    "Periods": "\u65f6\u6bb5",
    "Privacy of prompts": "\u63d0\u793a\u8bcd\u9690\u79c1",
    "Prompt": "\u63d0\u793a\u8bcd",
    "Prompts that repeat": "\u91cd\u590d\u7684\u63d0\u793a\u8bcd",
    "Prove days": "\u6838\u5bf9\u65e5\u671f",
    "Purpose": "\u7528\u9014",
    "Quiet hours": "\u514d\u6253\u6270\u65f6\u6bb5",
    "Read on %(day)s.": "\u8bfb\u53d6\u65f6\u95f4\uff1a%(day)s\u3002",
    "Reads": "\u8bfb\u53d6",
    "Record": "\u8bb0\u5f55",
    "Records": "\u8bb0\u5f55",
    "Recount": "\u91cd\u65b0\u7edf\u8ba1",
    "Remove %(time)s": "\u79fb\u9664 %(time)s",
    "Request id": "\u8bf7\u6c42 ID",
    "Restore a backup": "\u6062\u590d\u5907\u4efd",
    "Restore the backup of %(at)s": "\u6062\u590d %(at)s \u7684\u5907\u4efd",
    "Restoring\u2026": "\u6b63\u5728\u6062\u590d\u2026",
    "Resume": "\u7ee7\u7eed",
    "Run %(number)s": "\u91c7\u96c6\u4efb\u52a1 %(number)s",
    "Running": "\u8fdb\u884c\u4e2d",
    "Save the address first: a test asks the one that is stored.": "\u8bf7\u5148\u4fdd\u5b58\u5730\u5740\uff1a\u6d4b\u8bd5\u4f1a\u8bbf\u95ee\u5df2\u5b58\u50a8\u7684\u5730\u5740\u3002",
    "Saved views": "\u5df2\u4fdd\u5b58\u7684\u89c6\u56fe",
    "Saved.": "\u5df2\u4fdd\u5b58\u3002",
    "Saved: %(names)s.": "\u5df2\u4fdd\u5b58\uff1a%(names)s\u3002",
    "Schedule and limits": "\u5b9a\u65f6\u4e0e\u9650\u5236",
    "Search": "\u641c\u7d22",
    "Search the prompts for \u201c%(text)s\u201d": "\u5728\u63d0\u793a\u8bcd\u4e2d\u641c\u7d22\u201c%(text)s\u201d",
    "Searching the prompts\u2026": "\u6b63\u5728\u641c\u7d22\u63d0\u793a\u8bcd\u2026",
    "Second factor": "\u4e24\u6b65\u9a8c\u8bc1",
    "Select the text and copy it.": "\u8bf7\u9009\u4e2d\u6587\u5b57\u540e\u590d\u5236\u3002",
    "Set a budget": "\u8bbe\u7f6e\u9884\u7b97",
    "Several clients": "\u9009\u62e9\u591a\u4e2a\u5ba2\u6237\u7aef",
    "Several models": "\u9009\u62e9\u591a\u4e2a\u6a21\u578b",
    "Several purposes": "\u9009\u62e9\u591a\u4e2a\u7528\u9014",
    "Show all %(count)s": "\u663e\u793a\u5168\u90e8 %(count)s \u9879",
    "Show only this; with Shift, hide it": "\u4ec5\u663e\u793a\u6b64\u9879\uff1b\u6309\u4f4f Shift \u70b9\u51fb\u5219\u9690\u85cf",
    "Show the days": "\u67e5\u770b\u8fd9\u4e9b\u65e5\u671f",
    "Show the largest %(count)s": "\u663e\u793a\u6d88\u8017\u6700\u9ad8\u7684 %(count)s \u9879",
    "Sign in": "\u767b\u5f55",
    "Since the upgrade %(share)s of your calls have been prepared for this page. The others follow, and are in no group yet.": "\u5347\u7ea7\u540e\uff0c\u5df2\u4e3a\u6b64\u9875\u9762\u5904\u7406 %(share)s \u7684\u8c03\u7528\u3002\u5176\u4f59\u8c03\u7528\u4f1a\u9646\u7eed\u5904\u7406\uff0c\u76ee\u524d\u5c1a\u672a\u8ba1\u5165\u4efb\u4f55\u5206\u7ec4\u3002",
    "State": "\u72b6\u6001",
    "Statement of the month": "\u672c\u6708\u6838\u5bf9\u5355",
    "Status unknown": "\u72b6\u6001\u672a\u77e5",
    "Still to come.": "\u5c1a\u672a\u5230\u6765\u3002",
    "Stop": "\u505c\u6b62",
    "Stopping\u2026": "\u6b63\u5728\u505c\u6b62\u2026",
    "Sum": "\u5408\u8ba1",
    "Sum %(sum)s \u00b7 average %(average)s \u00b7 %(free)s free": "\u5408\u8ba1 %(sum)s \u00b7 \u5e73\u5747 %(average)s \u00b7 \u514d\u8d39 %(free)s",
    "Summary of the month": "\u6708\u62a5",
    "Summary of the week": "\u5468\u62a5",
    "Take everything with you": "\u5bfc\u51fa\u8d26\u53f7\u6570\u636e",
    "Tap again to show only this.": "\u518d\u6b21\u70b9\u6309\u5373\u53ef\u53ea\u770b\u8fd9\u4e00\u9879\u3002",
    "Tasks and settings": "\u4efb\u52a1\u4e0e\u8bbe\u7f6e",
    "The %(call)s cost %(amount)s on %(day)s.": "%(call)s\uff1a%(day)s\uff0c\u6d88\u8017 %(amount)s\u3002",
    "The User-Agent does not match": "User-Agent \u4e0d\u5339\u914d",
    "The browser did not allow copying.": "\u6d4f\u89c8\u5668\u4e0d\u5141\u8bb8\u590d\u5236\u3002",
    "The browser did not allow copying. Select the text and copy it with the keyboard.": "\u6d4f\u89c8\u5668\u4e0d\u5141\u8bb8\u590d\u5236\u3002\u8bf7\u9009\u4e2d\u6587\u672c\u540e\u7528\u952e\u76d8\u590d\u5236\u3002",
    "The calls of these days were erased; their sums stay": "\u8fd9\u4e9b\u65e5\u671f\u7684\u8c03\u7528\u5df2\u6e05\u9664\uff0c\u5408\u8ba1\u4ecd\u4fdd\u7559",
    "The collection stopped; the reason is shown above.": "\u91c7\u96c6\u5df2\u4e2d\u6b62\uff0c\u539f\u56e0\u89c1\u4e0a\u65b9\u3002",
    "The cookie %(refused)s": "Cookie %(refused)s",
    "The cookie belongs to another host": "Cookie \u5c5e\u4e8e\u5176\u4ed6\u4e3b\u673a",
    "The cookie has expired": "Cookie \u5df2\u8fc7\u671f",
    "The cookie is too large": "Cookie \u8fc7\u5927",
    "The credential cannot be read, so nothing is collected. Set it again.": "\u65e0\u6cd5\u8bfb\u53d6\u8bbf\u95ee\u51ed\u636e\uff0c\u56e0\u6b64\u4e0d\u4f1a\u91c7\u96c6\u4efb\u4f55\u5185\u5bb9\u3002\u8bf7\u91cd\u65b0\u8bbe\u7f6e\u3002",
    "The forecast is of all calls.": "\u9884\u6d4b\u9488\u5bf9\u5168\u90e8\u8c03\u7528\u3002",
    "The last bar is paler: this hour is not over yet.": "\u6700\u540e\u4e00\u6839\u67f1\u989c\u8272\u8f83\u6d45\uff1a\u8fd9\u4e00\u5c0f\u65f6\u5c1a\u672a\u7ed3\u675f\u3002",
    "The last bar is paler: today is not over yet.": "\u6700\u540e\u4e00\u6839\u67f1\u989c\u8272\u8f83\u6d45\uff1a\u4eca\u5929\u5c1a\u672a\u7ed3\u675f\u3002",
    "The last collection failed. %(message)s": "\u4e0a\u6b21\u91c7\u96c6\u5931\u8d25\u3002%(message)s",
    "The last collection failed: %(service)s refuses the credential. Until you set a new one, the schedule tries only once a day.": "\u4e0a\u6b21\u91c7\u96c6\u5931\u8d25\uff1a%(service)s \u62d2\u7edd\u4e86\u8bbf\u95ee\u51ed\u636e\u3002\u8bbe\u7f6e\u65b0\u7684\u51ed\u636e\u4e4b\u524d\uff0c\u5b9a\u65f6\u4efb\u52a1\u6bcf\u5929\u53ea\u5c1d\u8bd5\u4e00\u6b21\u3002",
    "The last collection failed: your cookie has expired. Until you paste a new one, the schedule tries only once a day.": "\u4e0a\u6b21\u91c7\u96c6\u5931\u8d25\uff1aCookie \u5df2\u8fc7\u671f\u3002\u7c98\u8d34\u65b0\u7684 Cookie \u4e4b\u524d\uff0c\u5b9a\u65f6\u8ba1\u5212\u6bcf\u5929\u53ea\u5c1d\u8bd5\u4e00\u6b21\u3002",
    "The lines are selected; copy them with the keyboard.": "\u5df2\u9009\u4e2d\u65e5\u5fd7\u884c\uff0c\u8bf7\u7528\u952e\u76d8\u590d\u5236\u3002",
    "The log is empty.": "\u65e5\u5fd7\u4e3a\u7a7a\u3002",
    "The log starts with the first page.": "\u8bfb\u53d6\u7b2c\u4e00\u9875\u540e\u5c06\u663e\u793a\u65e5\u5fd7\u3002",
    "The month will end at %(low)s to %(high)s %(unit)s, above the budget.": "\u9884\u8ba1\u672c\u6708\u6d88\u8017 %(low)s \u81f3 %(high)s %(unit)s\uff0c\u5c06\u8d85\u51fa\u9884\u7b97\u3002",
    "The month will end at %(low)s to %(high)s %(unit)s, within the budget.": "\u9884\u8ba1\u672c\u6708\u6d88\u8017 %(low)s \u81f3 %(high)s %(unit)s\uff0c\u5728\u9884\u7b97\u4e4b\u5185\u3002",
    "The month will end at %(low)s to %(high)s %(unit)s; the budget may not last.": "\u9884\u8ba1\u672c\u6708\u6d88\u8017 %(low)s \u81f3 %(high)s %(unit)s\uff0c\u53ef\u80fd\u8d85\u51fa\u9884\u7b97\u3002",
    "The newest %(count)s are shown.": "\u5df2\u663e\u793a\u6700\u65b0\u7684 %(count)s \u6761\u3002",
    "The overview shows amounts by this rate, too.": "\u6982\u89c8\u4e5f\u4f1a\u6309\u6b64\u6298\u7b97\u7387\u663e\u793a\u91d1\u989d\u3002",
    "The passkey was not used.": "\u672a\u4f7f\u7528\u901a\u884c\u5bc6\u94a5\u3002",
    "The purposes of the earlier calls are not known.": "\u6b64\u524d\u8c03\u7528\u7684\u7528\u9014\u672a\u77e5\u3002",
    "The scheduler is not running, so nothing is collected automatically for any account. Start the service with its workers, or check its log.": "\u8c03\u5ea6\u5668\u672a\u8fd0\u884c\uff0c\u6240\u6709\u8d26\u53f7\u90fd\u4e0d\u4f1a\u81ea\u52a8\u91c7\u96c6\u3002\u8bf7\u542f\u52a8\u670d\u52a1\u53ca\u5de5\u4f5c\u8fdb\u7a0b\uff0c\u6216\u67e5\u770b\u65e5\u5fd7\u3002",
    "The server answered with status %(status)s.": "\u670d\u52a1\u5668\u8fd4\u56de\u72b6\u6001\u7801 %(status)s\u3002",
    "The server cannot be reached.": "\u65e0\u6cd5\u8fde\u63a5\u670d\u52a1\u5668\u3002",
    "The server does not answer. This page loads again as soon as it does.": "\u670d\u52a1\u5668\u6ca1\u6709\u54cd\u5e94\u3002\u6062\u590d\u54cd\u5e94\u540e\uff0c\u6b64\u9875\u9762\u4f1a\u81ea\u52a8\u91cd\u65b0\u52a0\u8f7d\u3002",
    "The server does not answer. This page shows what it was at %(time)s, and loads again as soon as the server answers.": "\u670d\u52a1\u5668\u6ca1\u6709\u54cd\u5e94\u3002\u6b64\u9875\u9762\u663e\u793a\u7684\u662f %(time)s \u65f6\u7684\u5185\u5bb9\uff0c\u670d\u52a1\u5668\u6062\u590d\u54cd\u5e94\u540e\u4f1a\u81ea\u52a8\u91cd\u65b0\u52a0\u8f7d\u3002",
    "The server's answer cannot be read.": "\u65e0\u6cd5\u8bfb\u53d6\u670d\u52a1\u5668\u7684\u54cd\u5e94\u3002",
    "The time is incomplete: enter hours and minutes.": "\u65f6\u95f4\u4e0d\u5b8c\u6574\uff1a\u8bf7\u8f93\u5165\u5c0f\u65f6\u548c\u5206\u949f\u3002",
    "The token cannot be read, so nothing is collected. Paste it again.": "\u4ee4\u724c\u65e0\u6cd5\u8bfb\u53d6\uff0c\u56e0\u6b64\u672a\u91c7\u96c6\u4efb\u4f55\u6570\u636e\u3002\u8bf7\u91cd\u65b0\u7c98\u8d34\u3002",
    "The usage API was not found": "\u627e\u4e0d\u5230\u7528\u91cf API",
    "The view \u201c%(name)s\u201d has the filters of this list now.": "\u89c6\u56fe\u201c%(name)s\u201d\u73b0\u5728\u4f7f\u7528\u6b64\u5217\u8868\u7684\u7b5b\u9009\u6761\u4ef6\u3002",
    "This browser has no passkeys.": "\u6b64\u6d4f\u89c8\u5668\u4e0d\u652f\u6301\u901a\u884c\u5bc6\u94a5\u3002",
    "This device has a passkey of your account already.": "\u6b64\u8bbe\u5907\u5df2\u4fdd\u5b58\u60a8\u8d26\u53f7\u7684\u901a\u884c\u5bc6\u94a5\u3002",
    "This is not a cookie. Choose \u201cCopy as cURL\u201d in the developer tools, and paste the whole command.": "\u8fd9\u4e0d\u662f Cookie\u3002\u8bf7\u5728\u5f00\u53d1\u8005\u5de5\u5177\u4e2d\u9009\u62e9\u201c\u4ee5 cURL \u683c\u5f0f\u590d\u5236\u201d\uff0c\u5e76\u7c98\u8d34\u6574\u6761\u547d\u4ee4\u3002",
    "This month": "\u672c\u6708",
    "This permanently deletes %(count)s backup: %(names)s. The newest %(kept)s stay, and the newest %(apart)s from before a restore.": [
      "\u5c06\u6c38\u4e45\u5220\u9664 %(count)s \u4efd\u5907\u4efd\uff1a%(names)s\u3002\u4fdd\u7559\u6700\u65b0\u7684 %(kept)s \u4efd\uff0c\u4ee5\u53ca\u6700\u65b0\u7684 %(apart)s \u4efd\u6062\u590d\u524d\u5907\u4efd\u3002"
    ],
    "This run has no log.": "\u6b64\u91c7\u96c6\u4efb\u52a1\u6ca1\u6709\u65e5\u5fd7\u3002",
    "This week": "\u672c\u5468",
    "Time": "\u65f6\u95f4",
    "Today": "\u4eca\u5929",
    "Today is not over yet.": "\u4eca\u5929\u5c1a\u672a\u7ed3\u675f\u3002",
    "Token removed.": "\u4ee4\u724c\u5df2\u5220\u9664",
    "Token saved.": "\u4ee4\u724c\u5df2\u4fdd\u5b58",
    "Tokens": "\u4ee4\u724c",
    "Tokens above %(amount)s": "Token \u6570\u9ad8\u4e8e %(amount)s",
    "Tokens in": "\u8f93\u5165 Token",
    "Tokens out": "\u8f93\u51fa Token",
    "Tokens read from a cache": "\u7f13\u5b58\u8bfb\u53d6 Token",
    "Tokens written into a cache": "\u7f13\u5b58\u5199\u5165 Token",
    "Try again. If it fails again, give the event id to an administrator.": "\u8bf7\u91cd\u8bd5\u3002\u5982\u679c\u518d\u6b21\u5931\u8d25\uff0c\u8bf7\u5c06\u4e8b\u4ef6 ID \u544a\u77e5\u7ba1\u7406\u5458\u3002",
    "Type %(name)s to delete this account.": "\u8bf7\u8f93\u5165 %(name)s \u4ee5\u786e\u8ba4\u5220\u9664\u6b64\u8d26\u53f7\u3002",
    "Type %(name)s to delete this archive.": "\u8bf7\u8f93\u5165 %(name)s \u4ee5\u786e\u8ba4\u5220\u9664\u5f52\u6863\u6570\u636e\u3002",
    "Type the file name shown below.": "\u8bf7\u8f93\u5165\u4e0b\u65b9\u663e\u793a\u7684\u6587\u4ef6\u540d\u3002",
    "Used up on %(at)s.": "\u5df2\u4e8e %(at)s \u7528\u5b8c\u3002",
    "Used up on %(at)s; %(over)s %(unit)s over.": "\u5df2\u4e8e %(at)s \u7528\u5b8c\uff0c\u8d85\u51fa %(over)s %(unit)s\u3002",
    "Verification": "\u6838\u5bf9",
    "Verification done": "\u6838\u5bf9\u5df2\u5b8c\u6210",
    "Verification failed": "\u6838\u5bf9\u5931\u8d25",
    "Verification interrupted": "\u6838\u5bf9\u5df2\u4e2d\u65ad",
    "Verification waiting": "\u6838\u5bf9\u7b49\u5f85\u4e2d",
    "Verifying": "\u6b63\u5728\u6838\u5bf9",
    "Views and budgets": "\u89c6\u56fe\u4e0e\u9884\u7b97",
    "Waiting": "\u7b49\u5f85\u4e2d",
    "Waiting to start\u2026": "\u7b49\u5f85\u5f00\u59cb\u2026",
    "Webhooks": "Webhook",
    "Weekday": "\u661f\u671f",
    "Weeks": "\u6309\u5468",
    "What was read is stored. Fetch older calls again to continue from there.": "\u5df2\u8bfb\u53d6\u7684\u5185\u5bb9\u5747\u5df2\u4fdd\u5b58\u3002\u518d\u6b21\u91c7\u96c6\u66f4\u65e9\u7684\u8c03\u7528\u5373\u53ef\u4ece\u6b64\u5904\u7ee7\u7eed\u3002",
    "What was stored stays. Import the file again for the rest: nothing is stored twice.": "\u5df2\u5b58\u50a8\u7684\u6570\u636e\u4f1a\u4fdd\u7559\u3002\u8bf7\u91cd\u65b0\u5bfc\u5165\u8be5\u6587\u4ef6\u4ee5\u8865\u5168\u5176\u4f59\u90e8\u5206\uff0c\u4e0d\u4f1a\u91cd\u590d\u5b58\u50a8\u3002",
    "Without a prompt": "\u65e0\u63d0\u793a\u8bcd",
    "Working\u2026": "\u5904\u7406\u4e2d\u2026",
    "Yesterday": "\u6628\u5929",
    "You are not signed in yet. Sign in in a new tab first.": "\u5c1a\u672a\u767b\u5f55\uff0c\u8bf7\u5148\u5728\u65b0\u6807\u7b7e\u9875\u4e2d\u767b\u5f55\u3002",
    "You are signed out": "\u5df2\u9000\u51fa\u767b\u5f55",
    "You are signed out.": "\u5df2\u9000\u51fa\u767b\u5f55\u3002",
    "Your cookie cannot be read, so nothing is collected. Paste it again.": "Cookie \u65e0\u6cd5\u8bfb\u53d6\uff0c\u4e0d\u4f1a\u91c7\u96c6\u6570\u636e\u3002\u8bf7\u91cd\u65b0\u7c98\u8d34\u3002",
    "Your cookie ended on %(at)s. Copy a new one from your browser.": "Cookie \u5df2\u4e8e %(at)s \u5931\u6548\u3002\u8bf7\u4ece\u6d4f\u89c8\u5668\u590d\u5236\u65b0\u7684 Cookie\u3002",
    "Your cookie ends on %(at)s. Copy a new one from your browser.": "Cookie \u5c06\u4e8e %(at)s \u5931\u6548\u3002\u8bf7\u4ece\u6d4f\u89c8\u5668\u590d\u5236\u65b0\u7684 Cookie\u3002",
    "Your cookie has expired. Until you paste a new one, the schedule tries only once a day.": "Cookie \u5df2\u8fc7\u671f\u3002\u7c98\u8d34\u65b0\u7684 Cookie \u4e4b\u524d\uff0c\u5b9a\u65f6\u8ba1\u5212\u6bcf\u5929\u53ea\u5c1d\u8bd5\u4e00\u6b21\u3002",
    "Your cookie is set: %(hint)s.": "Cookie \u5df2\u8bbe\u7f6e\uff1a%(hint)s\u3002",
    "Your session has ended. Sign in in a new tab, then continue here. Your input is kept.": "\u4f1a\u8bdd\u5df2\u7ed3\u675f\u3002\u8bf7\u5728\u65b0\u6807\u7b7e\u9875\u4e2d\u767b\u5f55\uff0c\u7136\u540e\u56de\u5230\u6b64\u5904\u7ee7\u7eed\u3002\u5df2\u8f93\u5165\u7684\u5185\u5bb9\u4f1a\u4fdd\u7559\u3002",
    "Your sessions": "\u60a8\u7684\u4f1a\u8bdd",
    "about as much as %(earlier)s": "\u57fa\u672c\u6301\u5e73\uff08\u5bf9\u6bd4%(earlier)s\uff09",
    "after free calls alone in %(earlier)s": "%(earlier)s\u4ec5\u6709\u514d\u8d39\u8c03\u7528",
    "after no calls in %(earlier)s": "%(earlier)s\u65e0\u8c03\u7528",
    "api reference endpoint program openapi": "api reference endpoint program openapi \u63a5\u53e3 \u7a0b\u5e8f",
    "archive archives several service second account source credential": "archive archives several service second account source credential \u5f52\u6863\u6570\u636e \u591a\u4e2a \u670d\u52a1 \u8d26\u53f7 \u8bbf\u95ee\u51ed\u636e \u65b0\u5efa",
    "archived since %(day)s": "\u81ea %(day)s \u8d77\u5f52\u6863",
    "automatic": "\u81ea\u52a8",
    "backup delete remove prune": "backup delete remove prune \u5907\u4efd \u5220\u9664 \u6e05\u7406",
    "backup interval kept": "backup interval kept \u5907\u4efd \u95f4\u9694 \u4fdd\u7559",
    "backup restore snapshot": "backup restore snapshot \u5907\u4efd \u6062\u590d \u5feb\u7167",
    "before a restore": "\u6062\u590d\u524d",
    "billed": "\u8ba1\u8d39",
    "budget limit threshold monthly": "budget limit threshold monthly \u9884\u7b97 \u9650\u989d \u9608\u503c \u6bcf\u6708",
    "calls erased, sums kept": "\u8c03\u7528\u5df2\u6e05\u9664\uff0c\u5408\u8ba1\u4ecd\u4fdd\u7559",
    "calls missing": "\u7f3a\u5c11\u8c03\u7528",
    "calls without a client": "\u65e0\u5ba2\u6237\u7aef\u7684\u8c03\u7528",
    "calls without a model": "\u65e0\u6a21\u578b\u7684\u8c03\u7528",
    "cannot be read": "\u65e0\u6cd5\u8bfb\u53d6",
    "command line": "\u547d\u4ee4\u884c",
    "compared with %(days)s": "\u4e0e %(days)s \u76f8\u6bd4",
    "cookie session expired paste cURL": "cookie session expired paste cURL \u8fc7\u671f \u7c98\u8d34 \u767b\u5f55",
    "credits": "\u79ef\u5206",
    "delete remove user": "delete remove user \u5220\u9664 \u79fb\u9664 \u7528\u6237",
    "differs from a second sum": "\u4e0e\u6bcf\u65e5\u5408\u8ba1\u4e0d\u4e00\u81f4",
    "email": "\u90ae\u7bb1",
    "email address name account": "email mail address name account \u90ae\u7bb1 \u90ae\u4ef6 \u540d\u79f0 \u4e2a\u4eba\u8d44\u6599",
    "erased": "\u5df2\u6e05\u9664",
    "every %(count)s days": "\u6bcf %(count)s \u5929",
    "every %(count)s hour": [
      "\u6bcf %(count)s \u5c0f\u65f6"
    ],
    "every day": "\u6bcf\u5929",
    "export account move all data": "export account move all data \u5bfc\u51fa \u8fc1\u79fb \u5168\u90e8\u6570\u636e",
    "export download save csv json excel": "export download save csv json excel \u5bfc\u51fa \u4e0b\u8f7d \u4fdd\u5b58",
    "forecast estimate month end": "forecast estimate month end \u9884\u8ba1 \u9884\u6d4b \u6708\u5e95",
    "free": "\u514d\u8d39",
    "from %(day)s": "\u81ea %(day)s \u8d77",
    "imported": "\u5bfc\u5165",
    "invite invitation user register account": "invite invitation user register account \u9080\u8bf7 \u7528\u6237 \u6ce8\u518c \u8d26\u53f7",
    "just now": "\u521a\u521a",
    "language english chinese": "language english chinese \u8bed\u8a00 \u4e2d\u6587 \u82f1\u6587",
    "live": "\u5b9e\u65f6\u66f4\u65b0",
    "manual": "\u624b\u52a8",
    "missing gap complete ledger coverage": "missing gap complete ledger coverage \u7f3a\u5931 \u5b8c\u6574 \u6570\u636e\u5b8c\u6574\u6027",
    "more calls than at %(service)s": "\u8c03\u7528\u591a\u4e8e%(service)s",
    "most expensive archived call": "\u5df2\u5f52\u6863\u8c03\u7528\u4e2d\u6d88\u8017\u6700\u9ad8\u7684\u4e00\u6b21",
    "most expensive call": "\u6d88\u8017\u6700\u9ad8\u7684\u8c03\u7528",
    "name shown": "\u663e\u793a\u540d\u79f0",
    "new": "\u65b0\u589e",
    "new: %(new)s \u00b7 already known: %(known)s \u00b7 with other values: %(conflicting)s \u00b7 cannot be read: %(unreadable)s \u00b7 new runs: %(runs)s": "\u65b0\u589e %(new)s \u6761 \u00b7 \u5df2\u6709 %(known)s \u6761 \u00b7 \u6570\u503c\u4e0d\u540c %(conflicting)s \u6761 \u00b7 \u65e0\u6cd5\u8bfb\u53d6 %(unreadable)s \u884c \u00b7 \u65b0\u589e\u91c7\u96c6\u4efb\u52a1 %(runs)s \u4e2a",
    "no archived calls": "\u65e0\u5df2\u5f52\u6863\u7684\u8c03\u7528",
    "no calls": "\u65e0\u8c03\u7528",
    "no client": "\u65e0\u5ba2\u6237\u7aef",
    "no comparison": "\u65e0\u6cd5\u5bf9\u6bd4",
    "no earlier data": "\u6b64\u524d\u65e0\u6570\u636e",
    "no known purpose": "\u65e0\u7528\u9014\u6216\u7528\u9014\u672a\u77e5",
    "no model": "\u65e0\u6a21\u578b",
    "no period before": "\u6ca1\u6709\u66f4\u65e9\u7684\u65f6\u6bb5",
    "no prompt": "\u65e0\u63d0\u793a\u8bcd",
    "no purpose": "\u65e0\u7528\u9014",
    "none yet": "\u6682\u65e0",
    "not archived": "\u672a\u5f52\u6863",
    "not confirmed by %(service)s": "%(service)s\u672a\u786e\u8ba4",
    "not counted": "\u672a\u7edf\u8ba1",
    "not enough earlier data": "\u6b64\u524d\u6570\u636e\u4e0d\u8db3",
    "not known": "\u672a\u77e5",
    "not over yet": "\u5c1a\u672a\u7ed3\u675f",
    "not read": "\u672a\u8bfb\u53d6",
    "not read to its end": "\u5f53\u5929\u672a\u8bfb\u53d6\u5b8c\u6bd5",
    "not scheduled": "\u672a\u5b89\u6392",
    "not set": "\u672a\u8bbe\u7f6e",
    "notice address email telegram slack dingtalk feishu wecom": "notice address email mail telegram slack dingtalk feishu wecom \u901a\u77e5 \u5730\u5740 \u90ae\u4ef6 \u90ae\u7bb1 \u9489\u9489 \u98de\u4e66 \u4f01\u4e1a\u5fae\u4fe1",
    "of %(pages)s": "\u5171 %(pages)s \u9875",
    "off; the newest %(kept)s are kept.": "\u5df2\u5173\u95ed\uff1b\u4fdd\u7559\u6700\u65b0\u7684 %(kept)s \u4efd\u3002",
    "old password": "\u65e7\u5bc6\u7801",
    "older earlier before history fetch": "older earlier before history fetch \u66f4\u65e9 \u5386\u53f2 \u8865\u91c7 \u91c7\u96c6",
    "older than %(service)s still gives": "\u5df2\u8fc7%(service)s\u4fdd\u7559\u671f",
    "on the node %(node)s": "\u4f4d\u4e8e\u8282\u70b9 %(node)s",
    "package credits left expire plan gift lost": "\u79ef\u5206\u5305 \u5269\u4f59 \u5230\u671f \u8fc7\u671f \u5957\u9910 \u8d60\u9001",
    "password": "\u5bc6\u7801",
    "password security": "password security \u5bc6\u7801 \u5b89\u5168",
    "privacy prompts hash beginning nothing keep": "privacy prompts hash beginning nothing keep \u9690\u79c1 \u63d0\u793a\u8bcd \u54c8\u5e0c \u5f00\u5934 \u4fdd\u7559",
    "prompt text fill maintenance": "prompt text fill maintenance \u63d0\u793a\u8bcd \u8865\u5168 \u7ef4\u62a4",
    "prompts missing": "\u7f3a\u5c11\u63d0\u793a\u8bcd",
    "prompts no longer given": "\u63d0\u793a\u8bcd\u5df2\u8fc7\u4fdd\u7559\u671f",
    "proved by a second sum": "\u4e0e\u6bcf\u65e5\u5408\u8ba1\u4e00\u81f4",
    "purpose not known": "\u7528\u9014\u672a\u77e5",
    "quiet hours night silence": "quiet hours night silence \u514d\u6253\u6270 \u591c\u95f4 \u9759\u97f3",
    "read, may still change": "\u5df2\u8bfb\u53d6\uff0c\u53ef\u80fd\u53d8\u5316",
    "recount repair sums maintenance": "recount repair sums maintenance \u7edf\u8ba1 \u4fee\u590d \u7ef4\u62a4",
    "repeat same prompt duplicate cheaper model save": "\u91cd\u590d \u76f8\u540c \u63d0\u793a\u8bcd \u5206\u7ec4 \u4fbf\u5b9c \u8282\u7701 repeat same prompt duplicate cheaper model save",
    "row %(row)s": "\u7b2c %(row)s \u884c",
    "schedule": "\u5b9a\u65f6",
    "schedule (catch-up)": "\u5b9a\u65f6\u8ba1\u5212\uff08\u8865\u91c7\uff09",
    "schedule registration captcha limit retention interval": "schedule registration captcha limit retention interval \u5b9a\u65f6 \u6ce8\u518c \u9a8c\u8bc1\u7801 \u9650\u5236 \u4fdd\u7559 \u95f4\u9694",
    "second factor two-factor authenticator code passkey recovery security": "second factor two-factor authenticator code passkey recovery security \u4e24\u6b65\u9a8c\u8bc1 \u52a8\u6001\u7801 \u901a\u884c\u5bc6\u94a5 \u6062\u590d\u7801 \u5b89\u5168",
    "session device sign out everywhere": "session device sign out everywhere \u4f1a\u8bdd \u8bbe\u5907 \u9000\u51fa\u767b\u5f55",
    "set, %(hint)s": "\u5df2\u8bbe\u7f6e\uff0c%(hint)s",
    "settled": "\u5df2\u7a33\u5b9a",
    "statement bill proof print save": "statement bill proof print save \u6838\u5bf9\u5355 \u8d26\u5355 \u6253\u5370 \u4fdd\u5b58",
    "summary report monthly": "summary report monthly \u6708\u62a5 \u62a5\u544a",
    "summary report weekly": "summary report weekly \u5468\u62a5 \u62a5\u544a",
    "sums of %(count)s day": [
      "%(count)s \u5929\u7684\u5408\u8ba1"
    ],
    "the %(count)s day before": [
      "\u4e4b\u524d %(count)s \u5929"
    ],
    "the whole day": "\u5168\u5929",
    "theme dark light appearance": "theme dark light appearance \u4e3b\u9898 \u5916\u89c2 \u6df1\u8272 \u6d45\u8272 \u6697\u8272",
    "time limit rows per page certificate prompt length": "time limit rows per page certificate prompt length \u8d85\u65f6 \u6bcf\u9875\u884c\u6570 \u8bc1\u4e66 \u63d0\u793a\u8bcd\u957f\u5ea6",
    "today": "\u4eca\u5929",
    "today %(time)s": "\u4eca\u5929 %(time)s",
    "token api key program script": "token api key program script \u4ee4\u724c \u5bc6\u94a5 \u7a0b\u5e8f \u811a\u672c",
    "tomorrow": "\u660e\u5929",
    "two passwords": "\u4e24\u6b21\u8f93\u5165\u7684\u5bc6\u7801",
    "unchanged": "\u65e0\u53d8\u5316",
    "until %(day)s": "\u622a\u81f3 %(day)s",
    "until %(time)s": "\u622a\u81f3 %(time)s",
    "user name": "\u7528\u6237\u540d",
    "verify prove compare check bill": "verify prove compare check bill \u6838\u5bf9 \u9a8c\u8bc1 \u6bd4\u5bf9 \u5bf9\u8d26",
    "was %(value)s": "\u5bf9\u6bd4\u671f %(value)s",
    "webhook event program automation": "webhook event program automation \u4e8b\u4ef6 \u7a0b\u5e8f \u81ea\u52a8\u5316",
    "with a prompt": "\u6709\u63d0\u793a\u8bcd",
    "without a prompt": "\u65e0\u63d0\u793a\u8bcd",
    "yesterday": "\u6628\u5929",
    "you": "\u624b\u52a8",
    "\u201c%(text)s\u201d": "\u201c%(text)s\u201d",
    "\u2248 %(amount)s %(currency)s, estimated": "\u2248 %(amount)s %(currency)s\uff08\u4f30\u7b97\uff09",
    "\u25b2 %(amount)s more": "\u25b2 \u589e\u52a0 %(amount)s",
    "\u25b2 %(amount)s points more": "\u25b2 \u4e0a\u5347 %(amount)s \u4e2a\u767e\u5206\u70b9",
    "\u25bc %(amount)s fewer": "\u25bc \u51cf\u5c11 %(amount)s",
    "\u25bc %(amount)s less": "\u25bc \u51cf\u5c11 %(amount)s",
    "\u25bc %(amount)s points less": "\u25bc \u4e0b\u964d %(amount)s \u4e2a\u767e\u5206\u70b9"
  };
  for (const key in newcatalog) {
    django.catalog[key] = newcatalog[key];
  }
  

  if (!django.jsi18n_initialized) {
    django.gettext = function(msgid) {
      const value = django.catalog[msgid];
      if (typeof value === 'undefined') {
        return msgid;
      } else {
        return (typeof value === 'string') ? value : value[0];
      }
    };

    django.ngettext = function(singular, plural, count) {
      const value = django.catalog[singular];
      if (typeof value === 'undefined') {
        return (count == 1) ? singular : plural;
      } else {
        return value.constructor === Array ? value[django.pluralidx(count)] : value;
      }
    };

    django.gettext_noop = function(msgid) { return msgid; };

    django.pgettext = function(context, msgid) {
      let value = django.gettext(context + '\x04' + msgid);
      if (value.includes('\x04')) {
        value = msgid;
      }
      return value;
    };

    django.npgettext = function(context, singular, plural, count) {
      let value = django.ngettext(context + '\x04' + singular, context + '\x04' + plural, count);
      if (value.includes('\x04')) {
        value = django.ngettext(singular, plural, count);
      }
      return value;
    };

    django.interpolate = function(fmt, obj, named) {
      if (named) {
        return fmt.replace(/%\(\w+\)s/g, function(match){return String(obj[match.slice(2,-2)])});
      } else {
        return fmt.replace(/%s/g, function(match){return String(obj.shift())});
      }
    };


    /* formatting library */

    django.formats = {
    "DATETIME_FORMAT": "Y\u5e74n\u6708j\u65e5 H:i",
    "DATETIME_INPUT_FORMATS": [
      "%Y/%m/%d %H:%M",
      "%Y-%m-%d %H:%M",
      "%Y\u5e74%n\u6708%j\u65e5 %H:%M",
      "%Y/%m/%d %H:%M:%S",
      "%Y-%m-%d %H:%M:%S",
      "%Y\u5e74%n\u6708%j\u65e5 %H:%M:%S",
      "%Y/%m/%d %H:%M:%S.%f",
      "%Y-%m-%d %H:%M:%S.%f",
      "%Y\u5e74%n\u6708%j\u65e5 %H:%n:%S.%f",
      "%Y-%m-%d"
    ],
    "DATE_FORMAT": "Y\u5e74n\u6708j\u65e5",
    "DATE_INPUT_FORMATS": [
      "%Y/%m/%d",
      "%Y-%m-%d",
      "%Y\u5e74%n\u6708%j\u65e5"
    ],
    "DECIMAL_SEPARATOR": ".",
    "FIRST_DAY_OF_WEEK": 1,
    "MONTH_DAY_FORMAT": "m\u6708j\u65e5",
    "NUMBER_GROUPING": 4,
    "SHORT_DATETIME_FORMAT": "Y\u5e74n\u6708j\u65e5 H:i",
    "SHORT_DATE_FORMAT": "Y\u5e74n\u6708j\u65e5",
    "THOUSAND_SEPARATOR": "",
    "TIME_FORMAT": "H:i",
    "TIME_INPUT_FORMATS": [
      "%H:%M",
      "%H:%M:%S",
      "%H:%M:%S.%f"
    ],
    "YEAR_MONTH_FORMAT": "Y\u5e74n\u6708"
  };

    django.get_format = function(format_type) {
      const value = django.formats[format_type];
      if (typeof value === 'undefined') {
        return format_type;
      } else {
        return value;
      }
    };

    /* add to global namespace */
    globals.pluralidx = django.pluralidx;
    globals.gettext = django.gettext;
    globals.ngettext = django.ngettext;
    globals.gettext_noop = django.gettext_noop;
    globals.pgettext = django.pgettext;
    globals.npgettext = django.npgettext;
    globals.interpolate = django.interpolate;
    globals.get_format = django.get_format;

    django.jsi18n_initialized = true;
  }
};

