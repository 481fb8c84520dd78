// Random tests try the same inputs every time; FUZZ=1 tries others.
import fc from "fast-check";

if (!process.env.FUZZ) fc.configureGlobal({ seed: 20_230_421 });
