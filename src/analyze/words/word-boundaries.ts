// Text → the ranges of its words, by the Unicode rules for word boundaries (UAX #29) with the choices of Lucene's
// StandardTokenizer: a run of Thai, Khmer and similar scripts is one token; so is each Chinese character, Hiragana sign and
// emoji; and a token has at most 255 UTF-16 units.
//
// We do not use Intl.Segmenter: it cuts Asian text by dictionary, and took 14 times as long on English abstracts.

/** The most UTF-16 units of a token, as in Lucene; the rest becomes another token. */
const LONGEST = 255;

// The classes of characters: those of Unicode's Word_Break property, and the scripts that have their own rules.
const OTHER = 0;
const LETTER = 1;
const HEBREW = 2;
const DIGIT = 3;
export const KATAKANA = 4;
const JOINER = 5; // underscores: ExtendNumLet
const MID_LETTER = 6;
const MID_NUMBER = 7;
const MID_BOTH = 8; // periods and apostrophes
const DOUBLE_QUOTE = 9;
const EXTEND = 10; // marks and format characters: they belong to the character before
export const IDEOGRAPH = 11; // Han and Hiragana: each character is a token
export const UNSPACED = 12; // scripts without spaces: each run is a token
const REGIONAL = 13;
const EMOJI = 14;

const UNKNOWN = 255;
const classes = new Uint8Array(65_536).fill(UNKNOWN);

/** Calls `emit` with the start and the end of every word, and with the class of its first character. */
export function eachWord(text: string, emit: (start: number, end: number, first: number) => void): void {
  let at = 0;
  while (at < text.length) {
    const end = tokenEnd(text, at);
    if (end > 0) {
      emit(at, end, classAt(text, at));
      at = end;
    } else {
      at += unitsAt(text, at);
    }
  }
}

/** The end of the longest token that starts here; 0 if none does. */
function tokenEnd(text: string, start: number): number {
  let limit = Math.min(text.length, start + LONGEST);
  if (limit < text.length && isLeadSurrogate(text, limit - 1)) limit--;
  const emoji = emojiEnd(text, start, limit);
  if (emoji > 0) return emoji;
  const first = classAt(text, start);
  if (first === IDEOGRAPH) return skipExtend(text, start + unitsAt(text, start), limit);
  if (first === UNSPACED) return runEnd(text, start, limit);
  return wordEnd(text, start, limit);
}

/** The end of a word: letters, digits and Katakana, and the characters that may join two of them (WB5 … WB13b). */
function wordEnd(text: string, start: number, limit: number): number {
  let end = 0;
  let last = OTHER; // class of the last character that is not a mark
  let at = start;
  while (at < limit) {
    let next = classAt(text, at);
    let after = at + unitsAt(text, at);
    if (!joins(last, next)) {
      // An apostrophe or a period joins if the character after it is of the same kind as the one before.
      const over = bridges(last, next) ? skipExtend(text, after, limit) : limit;
      const beyond = over < limit ? classAt(text, over) : OTHER;
      if (over < limit && isBridged(last, next, beyond)) {
        next = beyond;
        after = over + unitsAt(text, over);
      } else if (last === HEBREW && text[at] === "'") {
        return skipExtend(text, after, limit); // WB7a: a Hebrew word keeps its final apostrophe
      } else {
        break;
      }
    }
    at = skipExtend(text, after, limit);
    last = next;
    if (next !== JOINER || end > 0) end = at; // underscores alone are not a word
  }
  return end;
}

/** Whether a character of class `next` continues a word directly after one of class `last`. OTHER is the start of a token. */
function joins(last: number, next: number): boolean {
  switch (next) {
    case LETTER:
    case HEBREW:
    case DIGIT:
      return last !== KATAKANA;
    case KATAKANA:
      return last === OTHER || last === KATAKANA || last === JOINER;
    case JOINER:
      return true;
    default:
      return false;
  }
}

/** Whether `middle` may join a character of class `last` to the character after it. */
function bridges(last: number, middle: number): boolean {
  if (last === DIGIT) return middle === MID_NUMBER || middle === MID_BOTH;
  if (last === HEBREW && middle === DOUBLE_QUOTE) return true;
  return (last === LETTER || last === HEBREW) && (middle === MID_LETTER || middle === MID_BOTH);
}

/** Whether `middle` does join them, given the class of the character after it. */
function isBridged(last: number, middle: number, next: number): boolean {
  if (last === DIGIT) return next === DIGIT;
  return middle === DOUBLE_QUOTE ? next === HEBREW : next === LETTER || next === HEBREW;
}

function runEnd(text: string, start: number, limit: number): number {
  let at = start;
  while (at < limit && classAt(text, at) === UNSPACED) {
    at = skipExtend(text, at + unitsAt(text, at), limit);
  }
  return at;
}

function skipExtend(text: string, start: number, limit: number): number {
  let at = start;
  while (at < limit && classAt(text, at) === EXTEND) at += unitsAt(text, at);
  return at;
}

/** An emoji: a flag, a keycap, or a picture with its modifiers, joined by zero-width joiners. */
const EMOJI_SEQUENCE =
  /\p{RI}\p{RI}[\p{Grapheme_Extend}\p{Cf}]*|[0-9#*]\uFE0F?\u20E3|\u200D?[\p{Extended_Pictographic}\p{Emoji_Modifier}](?:\u200D\p{Extended_Pictographic}|(?!\uFE0E)[\p{Grapheme_Extend}\p{Mc}\p{Cf}\p{Emoji_Modifier}])*/uy;

function emojiEnd(text: string, start: number, limit: number): number {
  const code = text.charCodeAt(start);
  const first = classAt(text, start);
  const mayStart = first === EMOJI || first === REGIONAL || code === 0x200d || mayBeKeycap(text, start);
  if (!mayStart) return 0;
  EMOJI_SEQUENCE.lastIndex = start;
  const match = EMOJI_SEQUENCE.exec(text);
  return match ? Math.min(limit, start + match[0].length) : 0;
}

function mayBeKeycap(text: string, start: number): boolean {
  const next = text.charCodeAt(start + 1);
  return next === 0x20e3 || (next === 0xfe0f && text.charCodeAt(start + 2) === 0x20e3);
}

function isLeadSurrogate(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800;
}

function unitsAt(text: string, at: number): number {
  const isPaired = isLeadSurrogate(text, at) && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
  return isPaired ? 2 : 1;
}

function classAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  if ((unit & 0xfc00) === 0xd800) return classify(text.codePointAt(at)!);
  if (classes[unit] === UNKNOWN) classes[unit] = classify(unit);
  return classes[unit];
}

const LISTED = new Map<number, number>([
  ...listed(MID_LETTER, ":·\u0387\u055f\u05f4\u2027\ufe13\ufe55\uff1a"),
  ...listed(MID_NUMBER, ",;\u037e\u0589\u060c\u060d\u066c\u07f8\u2044\ufe10\ufe14\ufe50\ufe54\uff0c\uff1b"),
  ...listed(MID_BOTH, ".'\u2018\u2019\u2024\ufe52\uff07\uff0e"),
  ...listed(DOUBLE_QUOTE, '"'),
  ...listed(JOINER, "\u202f"),
  ...listed(KATAKANA, "\u3031\u3032\u3033\u3034\u3035\u309b\u309c\u30a0\u30fc\uff70"),
  ...listed(LETTER, "\u055a\u055b\u055c\u055e\u05f3\u02d7\u02de\u02df"),
  ...listed(DIGIT, "\u066b"),
  ...listed(OTHER, "\u200b"),
]);

function listed(kind: number, characters: string): [number, number][] {
  return [...characters].map((character) => [character.codePointAt(0)!, kind]);
}

const BY_PROPERTY: readonly (readonly [RegExp, number])[] = [
  [/\p{RI}/u, REGIONAL],
  [/\p{Nd}/u, DIGIT],
  [
    /(?=[\p{L}\p{M}])[\p{Script=Thai}\p{Script=Lao}\p{Script=Myanmar}\p{Script=Khmer}\p{Script=Tai_Le}\p{Script=New_Tai_Lue}\p{Script=Tai_Tham}\p{Script=Tai_Viet}\p{Script=Ahom}]/u,
    UNSPACED,
  ],
  [/[\p{Grapheme_Extend}\p{Mc}\p{Cf}]/u, EXTEND],
  [/[\p{Script=Han}\p{Script=Hiragana}]/u, IDEOGRAPH],
  [/\p{Script=Katakana}/u, KATAKANA],
  [/(?=\p{Lo})\p{Script=Hebrew}/u, HEBREW],
  [/\p{Pc}/u, JOINER],
  [
    /[\p{Alphabetic}\u02c2-\u02c5\u02d2-\u02d6\u02e5-\u02eb\u02ed\u02ef-\u02ff\ua708-\ua716\ua720\ua721\ua789\ua78a\uab5b]/u,
    LETTER,
  ],
  [/[\p{Extended_Pictographic}\p{Emoji_Modifier}]/u, EMOJI],
];

function classify(code: number): number {
  const known = LISTED.get(code);
  if (known !== undefined) return known;
  const character = String.fromCodePoint(code);
  for (const [pattern, kind] of BY_PROPERTY) if (pattern.test(character)) return kind;
  return OTHER;
}
