// Bulgarian, with the light stemmer of Savoy, as Lucene has it: articles, plurals, last vowels.
// Stop words: the list of Lucene 9.12 (Apache-2.0).

import type { Language } from "./language-rules.ts";

export const bulgarian: Language = {
  stopWords: `
    а аз ако ала бе без беше би бил била били било близо бъдат бъде бяха в вас ваш ваша вероятно вече взема
    ви вие винаги все всеки всички всичко всяка във въпреки върху г ги главно го д да дали до докато докога
    дори досега доста е едва един ето за зад заедно заради засега затова защо защото и из или им има имат
    иска й каза как каква какво както какъв като кога когато което които кой който колко която къде където
    към ли м ме между мен ми мнозина мога могат може моля момента му н на над назад най направи напред
    например нас не него нея ни ние никой нито но някои някой няма обаче около освен особено от отгоре
    отново още пак по повече повечето под поне поради после почти прави пред преди през при пък първо с са
    само се сега си скоро след сме според сред срещу сте съм със също т тази така такива такъв там твой те
    тези ти тн то това тогава този той толкова точно трябва тук тъй тя тях у харесва ч че често чрез ще щом
    я
  `,
  stem: (word) => (word.length < 4 ? word : withoutVowels(singular(withoutArticle(word)))),
};

function withoutArticle(word: string): string {
  const w = word.length > 5 && word.endsWith("ища") ? word.slice(0, -3) : word;
  if (w.length > 6 && w.endsWith("ият")) return w.slice(0, -3);
  if (w.length > 5 && /(?:ът|т[оеа]|ия)$/u.test(w)) return w.slice(0, -2);
  return w.length > 4 && w.endsWith("ят") ? w.slice(0, -2) : w;
}

function singular(w: string): string {
  if (w.length > 6) {
    if (/(?:овци|ове)$/u.test(w)) return w.slice(0, -3);
    if (w.endsWith("еве")) return `${w.slice(0, -3)}й`;
  }
  if (w.length > 5) {
    if (w.endsWith("ища")) return w.slice(0, -3);
    if (w.endsWith("та")) return w.slice(0, -2);
    if (w.endsWith("ци")) return `${w.slice(0, -2)}к`;
    if (w.endsWith("зи")) return `${w.slice(0, -2)}г`;
    if (/е.и$/u.test(w)) return `${w.slice(0, -3)}я${w.at(-2)}`;
  }
  if (w.length > 4) {
    if (w.endsWith("си")) return `${w.slice(0, -2)}х`;
    if (w.endsWith("и")) return w.slice(0, -1);
  }
  return w;
}

function withoutVowels(word: string): string {
  let w = word;
  if (w.length > 3) w = w.replace(/я$/u, "").replace(/[аое]$/u, "");
  if (w.length > 4 && w.endsWith("ен")) w = `${w.slice(0, -2)}н`;
  return w.length > 5 && w.at(-2) === "ъ" ? `${w.slice(0, -2)}${w.at(-1)}` : w;
}
