import { FootholdError } from "../../core/errors.ts";

/** Whether `error` is a system error with one of these codes, such as `ENOENT`. */
export function isErrno(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.some((code) => code === error.code);
}

/** Does `work` on the files of a data folder; a system error becomes `EMBEDDED_FOLDER_UNUSABLE` that says what to do. */
export function inFolder<T>(folder: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw describeFolderError(folder, error);
  }
}

/** The system error `error`, met in a data folder, as `EMBEDDED_FOLDER_UNUSABLE`; any other error as it is. */
export function describeFolderError(folder: string, error: unknown): unknown {
  if (!(error instanceof Error) || !("code" in error) || !("syscall" in error)) return error;
  return new FootholdError(
    "EMBEDDED_FOLDER_UNUSABLE",
    `the embedded database cannot use the folder ${folder}: ${explain(error)} (${error.message})`,
    { cause: error, details: { folder } },
  );
}

function explain(error: Error): string {
  if (isErrno(error, "EACCES", "EPERM")) {
    return "this user may not write there. Give the folder to this user or choose another folder.";
  }
  if (isErrno(error, "EROFS")) return "its disk is read-only. Choose another folder.";
  if (isErrno(error, "ENOSPC", "EDQUOT"))
    return "its disk is full. Make room there or choose another folder.";
  if (isErrno(error, "ENOTDIR", "EEXIST")) {
    return "there is a file where a folder should be. Move it away or choose another folder.";
  }
  return "the system refused.";
}
