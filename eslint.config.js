import js from "@eslint/js";
import { defineConfig, globalIgnores } from "eslint/config";
import reactHooks from "eslint-plugin-react-hooks";
import globals from "globals";
import tseslint from "typescript-eslint";

const TESTS = ["src/**/*.test.ts", "dashboard/**/*.test.ts", "test/**/*.ts"];

export default defineConfig(
  globalIgnores(["dist/", "coverage/"]),
  { linterOptions: { reportUnusedDisableDirectives: "error" } },

  {
    files: ["**/*.js", "**/*.mjs", "**/*.cjs"],
    extends: [js.configs.recommended],
    languageOptions: { globals: globals.node },
  },

  {
    files: ["**/*.ts", "**/*.tsx"],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/consistent-type-exports": "error",
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: true },
      ],
      // `void promise` would hide a rejection, so it counts as floating too.
      "@typescript-eslint/no-floating-promises": ["error", { ignoreVoid: false }],
      // Numbers print as expected. The rest stays as in the strict preset, whose options this replaces.
      "@typescript-eslint/restrict-template-expressions": [
        "error",
        {
          allowNumber: true,
          allowAny: false,
          allowBoolean: false,
          allowNever: false,
          allowNullish: false,
          allowRegExp: false,
        },
      ],
    },
  },

  {
    files: ["src/**/*.ts", "dashboard/src/**/*.ts", "dashboard/src/**/*.tsx"],
    ignores: TESTS,
    rules: {
      "no-console": "error",
      "max-lines": ["error", { max: 350, skipBlankLines: true, skipComments: true }],
      "max-lines-per-function": ["error", { max: 80, skipBlankLines: true, skipComments: true }],
    },
  },

  {
    files: ["dashboard/src/**/*.tsx", "dashboard/src/**/*.ts"],
    extends: [reactHooks.configs.flat["recommended-latest"]],
    languageOptions: { globals: globals.browser },
    rules: {
      // An event handler starts what then goes on by itself: `void` says so, and the page shows how it ends.
      "@typescript-eslint/no-floating-promises": ["error", { ignoreVoid: true }],
    },
  },
  {
    files: ["dashboard/public/*.js"],
    languageOptions: { globals: globals.browser, sourceType: "script" },
  },

  {
    files: ["src/cli/**/*.ts"],
    // The command line talks to a terminal.
    rules: { "no-console": "off" },
  },

  {
    files: TESTS,
    // A test may state what it knows to be there: a wrong guess fails the test.
    rules: { "@typescript-eslint/no-non-null-assertion": "off" },
  },
);
