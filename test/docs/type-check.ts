/** Type-checks pieces of source that are in no file, as a user of the package would see them. */

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

/** The folder of the package. */
export const root: string = fileURLToPath(new URL("../..", import.meta.url));

/** A module of its own, whose imports are found as from the root. */
export interface Piece {
  /** Where it stands, for people: `docs/guide.md`. */
  readonly origin: string;
  /** The line of `origin` before its first one. */
  readonly lineBefore: number;
  readonly text: string;
}

/** Everything in ```ts fences of a document. */
export function piecesIn(origin: string, document: string): readonly Piece[] {
  const pieces: Piece[] = [];
  const lines = document.split("\n");
  let start: number | null = null;
  let indent = "";
  for (const [index, line] of lines.entries()) {
    const fence = /^(\s*)```(\w*)/.exec(line);
    if (fence === null) continue;
    if (start !== null) {
      const text = lines.slice(start, index).map((one) => one.slice(indent.length));
      pieces.push({ origin, lineBefore: start, text: text.join("\n") });
      start = null;
    } else if (fence[2] === "ts") {
      start = index + 1;
      indent = fence[1] ?? "";
    }
  }
  if (start !== null) throw new Error(`${origin}:${start}: the fence is not closed`);
  return pieces;
}

/** What the compiler says of the pieces, as `docs/guide.md:12: message`. */
export function typeCheck(pieces: readonly Piece[]): readonly string[] {
  const { program, texts } = compile(pieces, { noEmit: true });
  return [...texts].flatMap(([path, { origin }]) => {
    const source = program.getSourceFile(path);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
      ({ start, messageText }) => {
        const { line } = source?.getLineAndCharacterOfPosition(start ?? 0) ?? { line: 0 };
        return `${origin}:${line + 1}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
      },
    );
  });
}

/** The declarations that the compiler writes of a piece. */
export function declarationsOf(piece: Piece): string {
  const emit = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    allowJs: false,
    checkJs: false,
  };
  const { program, texts } = compile([piece], emit);
  const written: string[] = [];
  for (const path of texts.keys()) {
    program.emit(program.getSourceFile(path), (_, text) => written.push(text));
  }
  return written.join("");
}

interface Compiled {
  readonly program: ts.Program;
  /** Pieces by the path that the compiler knows them by. */
  readonly texts: ReadonlyMap<string, Piece>;
}

function compile(pieces: readonly Piece[], changes: ts.CompilerOptions): Compiled {
  const options = { ...compilerOptions(), ...changes };
  const texts = new Map(pieces.map((piece, index) => [join(root, `piece-${index}.ts`), piece]));
  const host = ts.createCompilerHost(options);
  const disk = ts.createCompilerHost(options);
  // Empty lines in front keep the line numbers of the document.
  const textOf = ({ lineBefore, text }: Piece): string => "\n".repeat(lineBefore) + text;
  host.fileExists = (path) => texts.has(path) || disk.fileExists(path);
  host.readFile = (path) => {
    const piece = texts.get(path);
    return piece === undefined ? disk.readFile(path) : textOf(piece);
  };
  host.getSourceFile = (path, languageVersion) => {
    const text = host.readFile(path);
    return text === undefined ? undefined : ts.createSourceFile(path, text, languageVersion);
  };
  return { program: ts.createProgram([...texts.keys()], options, host), texts };
}

function compilerOptions(): ts.CompilerOptions {
  const path = join(root, "tsconfig.json");
  const { config, error } = ts.readConfigFile(path, (name) => ts.sys.readFile(name)) as {
    config: unknown;
    error?: ts.Diagnostic;
  };
  if (error !== undefined) throw new Error(ts.flattenDiagnosticMessageText(error.messageText, "\n"));
  const { options } = ts.parseJsonConfigFileContent(
    config,
    { ...ts.sys, readDirectory: () => [] },
    dirname(path),
  );
  // An example may show a value that nothing uses.
  return { ...options, noUnusedLocals: false, noUnusedParameters: false };
}
