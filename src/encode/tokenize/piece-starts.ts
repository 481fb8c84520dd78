// A run of text without white space and its word pieces → where in the run each piece begins. Tokenizers give pieces without
// places, but an anchored encoder must know in which piece a word of the analyzer begins.
//
// BERT's rules are followed character by character: control characters vanish, letters are lower-cased and lose their accents,
// punctuation and Chinese characters are words. So every character that is left knows where it came from, and the lengths of
// the pieces say where each begins.

/** How a BERT tokenizer changes characters before it cuts words. */
export interface CharacterRules {
  readonly lowercase: boolean;
  readonly stripAccents: boolean;
  /** The piece of a word that pieces cannot make. */
  readonly unknown: string;
  /** Pieces that continue a word begin with this. */
  readonly prefix: string;
}

const CONTROL = /[\0\uFFFD\p{Cc}\p{Cf}\p{Co}\p{Cs}]/u;
const ALONE = /[\p{P}!-/:-@[-`{-~\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\u{20000}-\u{2FA1F}]/u;
const ACCENT = /\p{Mn}/u;
const SPACE = /\s/u;

/** Characters as the tokenizer sees them. */
interface Characters {
  /** Where in the run each comes from. */
  readonly places: number[];
  /** Whether each begins a word. */
  readonly beginsWord: boolean[];
}

/** Where each piece begins, in UTF-16 units from the start of the run. */
export function findPieceStarts(run: string, pieces: readonly string[], rules: CharacterRules): number[] {
  const { places, beginsWord } = splitCharacters(run, rules);
  const last = places.length - 1;
  let at = 0;
  return pieces.map((piece) => {
    const start = places[Math.min(at, last)] ?? 0;
    if (piece === rules.unknown) {
      at++;
      while (at <= last && !beginsWord[at]) at++;
    } else {
      const isContinued = !beginsWord[at] && piece.startsWith(rules.prefix);
      at += Array.from(piece).length - (isContinued ? rules.prefix.length : 0);
    }
    return start;
  });
}

function splitCharacters(run: string, { lowercase, stripAccents }: CharacterRules): Characters {
  const [places, beginsWord]: [number[], boolean[]] = [[], []];
  let place = 0;
  let isBoundary = true;
  for (const character of run) {
    const from = place;
    place += character.length;
    if (SPACE.test(character)) isBoundary = true;
    else if (!CONTROL.test(character)) {
      const lower = lowercase ? character.toLowerCase() : character;
      for (const changed of stripAccents ? lower.normalize("NFD") : lower) {
        if (stripAccents && ACCENT.test(changed)) continue;
        const isAlone = ALONE.test(changed);
        places.push(from);
        beginsWord.push(isBoundary || isAlone);
        isBoundary = isAlone;
      }
    }
  }
  return { places, beginsWord };
}
