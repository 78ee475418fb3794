// A project whose settings cannot be read.
throw new Error("the vault is sealed");
