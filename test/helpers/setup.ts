// Random tests use the same inputs every time; with FUZZ=1 they use new ones.
import fc from "fast-check";

if (!process.env.FUZZ) fc.configureGlobal({ seed: 20_230_421 });
