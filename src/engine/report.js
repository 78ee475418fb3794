/** What the engine tells its process. Nothing here changes what it does; a command prints it, a test waits for it. */
export {};
//# sourceMappingURL=report.js.map