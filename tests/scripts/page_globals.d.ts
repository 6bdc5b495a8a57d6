// What a page gives its scripts, and the events by which they speak to each other.

interface Window {
  /** The token that a POST carries. */
  WB_CSRF: string;
  /** Django's catalogue, where the page's language is not English. */
  django?: {
    gettext(text: string): string;
    ngettext(one: string, many: string, count: number): string;
  };
}

/** Parameters of an address. */
type Params = Record<string, string>;

/** Parameters of an address, some with several values: a list gives its parameter once for each. */
type ManyParams = Record<string, string | string[]>;

/** Changes parameters of the page's address; what is empty is taken away. */
type Go = (changes: Record<string, string | null | undefined>, options?: { replace?: boolean }) => void;

interface StatusDetail {
  /** The answer of /api/status, and whether a run has ended that nobody followed here. */
  status?: Status;
  ended?: boolean;
  error?: Error;
}

interface DocumentEventMap {
  "archive:back": CustomEvent;
  "archive:collected": CustomEvent;
  "archive:collecting": CustomEvent;
  "archive:cookie": CustomEvent;
  "archive:gone": CustomEvent;
  "archive:run": CustomEvent<Partial<Run> & { status: RunStatus }>;
  "archive:signed-in": CustomEvent;
  "archive:status": CustomEvent<StatusDetail>;
  "archive:theme": CustomEvent;
}

/** The nearest element around another one: of HTML, as all that the scripts bind are. */
interface Element {
  closest<Tag extends keyof HTMLElementTagNameMap>(selector: Tag): HTMLElementTagNameMap[Tag] | null;
  closest(selectors: string): HTMLElement | null;
}
