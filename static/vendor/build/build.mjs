// Makes the vendored files from the packages of package-lock.json, and static/vendor/vendored.json, which lists them.
// Run it here after `npm ci`: npm run build

import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { PurgeCSS } from "purgecss";
import { PARTS } from "./tabler.js";

const project = new URL("../../../", import.meta.url);
const packages = new URL("node_modules/", import.meta.url);
const listed = [];

const from = (name, path) => readFile(new URL(`${name}/${path}`, packages));
const about = async (name) => JSON.parse(await from(name, "package.json"));

async function put(path, content, name) {
  const target = new URL(path, project);
  await mkdir(dirname(fileURLToPath(target)), { recursive: true });
  await writeFile(target, content);
  const { version, license } = await about(name);
  listed.push({ file: path, package: name, version, licence: license, sha256: createHash("sha256").update(content).digest("hex") });
}

async function charts() {
  const entry = fileURLToPath(new URL("uplot/dist/uPlot.esm.js", packages));
  const { outputFiles: [made] } = await build({ entryPoints: [entry], minify: true, format: "esm", target: "es2020", write: false, legalComments: "none" });
  const { version } = await about("uplot");
  await put("static/vendor/uplot/uplot.min.js", `/* uPlot ${version}; MIT, see LICENSE beside. */\n${made.text}`, "uplot");
  // For the type check only: the service does not collect it.
  await put("static/vendor/uplot/uplot.min.d.ts", await from("uplot", "dist/uPlot.d.ts"), "uplot");
  await put("static/vendor/uplot/LICENSE", await from("uplot", "LICENSE"), "uplot");
}

async function styles() {
  const raw = String(await from("@tabler/core", "dist/css/tabler.min.css")).replace(/\s*\/\*# sourceMappingURL=.*?\*\/\s*$/, "\n");
  // Nine tenths of it are of parts that no page has: browsers read all of it before they draw anything.
  const own = await readFile(new URL("static/css/site.css", project), "utf-8");
  const [{ css }] = await new PurgeCSS().purge({
    css: [{ raw }], content: [{ raw: PARTS, extension: "html" }], keyframes: true, variables: true,
    safelist: { variables: own.match(/--tblr-[\w-]+/g) },
  });
  await put("static/vendor/tabler/tabler.min.css", css, "@tabler/core");
  // The package names its licence without the text.
  await put("static/vendor/tabler/LICENSE", await readFile(new URL("tabler.LICENSE", import.meta.url)), "@tabler/core");
}

async function checks() {
  await put("tests/vendor/axe-core/axe.min.js", await from("axe-core", "axe.min.js"), "axe-core");
  await put("tests/vendor/axe-core/LICENSE", await from("axe-core", "LICENSE"), "axe-core");
}

await charts();
await styles();
await checks();
const list = new URL("static/vendor/vendored.json", project);
await writeFile(list, `${JSON.stringify(listed, null, 2)}\n`);
console.log(`${listed.length} files, listed in ${relative(process.cwd(), fileURLToPath(list))}`);
