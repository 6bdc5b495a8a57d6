// What ESLint checks in the browser scripts beside TypeScript: mistakes, and the sizes and habits that the scripts keep.

import js from "@eslint/js";
import globals from "globals";

export default [
  js.configs.recommended,
  {
    rules: {
      "max-lines": ["error", 300],
      "max-lines-per-function": ["error", { max: 40 }],
      "no-var": "error",
      "prefer-const": "error",
      eqeqeq: ["error", "always", { null: "ignore" }],
      quotes: ["error", "double", { avoidEscape: true }],
      semi: "error",
      "no-restricted-imports": ["error", { patterns: [{ regex: "^[^.]", message: "Pages import by relative paths: bundles are joined by them." }] }],
    },
  },
  { files: ["static/js/**"], languageOptions: { globals: globals.browser } },
  { files: ["static/js/shared/theme.js"], languageOptions: { sourceType: "script" } },
  {
    files: ["static/js/service_worker.js"],
    languageOptions: { sourceType: "script", globals: { ...globals.serviceworker, KEPT: "readonly" } },
  },
  {
    files: ["tests/scripts/**"],
    languageOptions: { globals: globals.node },
    rules: { "no-restricted-imports": "off" },
  },
];
