// Hindi, as Lucene has it: spellings with the same sound become one, then the light stemmer of Ramanathan and Rao.
// Stop words: the list of Lucene 9.12 (Apache-2.0).

import { foldDigits, lowerCase } from "../letters/fold.ts";
import type { Language } from "./language-rules.ts";
import { stripLongest } from "./longest-suffix.ts";

export const hindi: Language = {
  stopWords: `
    अंदर अत अपना अपनी अपने अभी आदि आप इत्यादि इन इनका इन्हीं इन्हें इन्हों इस इसका इसकी इसके इसमें इसी इसे
    उन उनका उनकी उनके उनको उन्हीं उन्हें उन्हों उस उसके उसी उसे एक एवं एस ऐसे और कई कर करता करते करना करने
    करें कहते कहा का काफ़ी कि कितना किन्हें किन्हों किया किर किस किसी किसे की कुछ कुल के को कोई कौन कौनसा गया
    घर जब जहाँ जा जितना जिन जिन्हें जिन्हों जिस जिसे जीधर जैसा जैसे जो तक तब तरह तिन तिन्हें तिन्हों तिस
    तिसे तो था थी थे दबारा दिया दुसरा दूसरे दो द्वारा न नहीं ना निहायत नीचे ने पर पहले पूरा पे फिर बनी बही
    बहुत बाद बाला बिलकुल भी भीतर मगर मानो मे में यदि यह यहाँ यही या यिह ये रखें रहा रहे ऱ्वासा लिए लिये
    लेकिन व वर्ग वह वहाँ वहीं वाले वुह वे वग़ैरह संग सकता सकते सबसे सभी साथ साबुत साभ सारा से सो ही हुआ हुई
    हुए है हैं हो होता होती होते होना होने अपनि जेसे होति सभि तिंहों इंहों दवारा इसि किंहें थि उंहों ओर
    जिंहें वहिं अभि बनि हि उंहिं उंहें हें वगेरह एसे रवासा कोन निचे काफि उसि पुरा भितर हे बहि वहां कोइ यहां
    जिंहों तिंहें किसि कइ यहि इंहिं जिधर इंहें अदि इतयादि हुइ कोनसा इसकि दुसरे जहां अप किंहों उनकि भि वरग
    हुअ जेसा नहिं
  `,
  normalize: (word) => oneSound(foldDigits(lowerCase(word))),
  stem: (word) => stripLongest(word, SUFFIXES),
};

/** Pairs of characters: the first becomes the second. */
const SOUNDS = new Map(
  "ँं ऩन ऱर ऴळ क़क ख़ख ग़ग ज़ज ड़ड ढ़ढ फ़फ य़य ॅे ॆे ॉो ॊो ऍए ऎए ऑओ ऒओ ॲअ आअ ईइ ऊउ ॠऋ ॡऌ ऐए औओ ीि ूु ॄृ ॣॢ ैे ौो"
    .split(" ")
    .map((pair) => [String.fromCodePoint(pair.codePointAt(0)!), [...pair].at(-1)!] as const),
);

/** Long vowels become short ones, nasal signs one; nukta, virama and joiners go. */
function oneSound(word: string): string {
  return word
    .normalize("NFC")
    .replaceAll("\u093e\u0945", "\u0949")
    .replaceAll("\u0906\u0945", "\u0911")
    .replaceAll("\u0928\u094d", "\u0902")
    .replace(/[\u093c\u094d\u200c\u200d]/gu, "")
    .replace(/[\u0900-\u097f]/gu, (letter) => SOUNDS.get(letter) ?? letter);
}

const SUFFIXES = [
  "ाएंगी ाएंगे ाऊंगी ाऊंगा ाइयाँ ाइयों ाइयां",
  "ाएगी ाएगा ाओगी ाओगे एंगी ेंगी एंगे ेंगे ूंगी ूंगा ातीं नाओं नाएं ताओं ताएं ियाँ ियों ियां",
  "ाकर ाइए ाईं ाया ेगी ेगा ोगी ोगे ाने ाना ाते ाती ाता तीं ाओं ाएं ुओं ुएं ुआं",
  "कर ाओ िए ाई ाए ने नी ना ते ीं ती ता ाँ ां ों ें",
  "ो े ू ु ी ि ा",
].map((line) => line.split(" "));
