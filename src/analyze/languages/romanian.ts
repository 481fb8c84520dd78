// Romanian, with Snowball's stemmer. Its letters ș and ț are often written with a cedilla, which the stemmer expects.
// Stop words: the list of Lucene 9.12 (Apache-2.0).

import { stemmer } from "@orama/stemmers/romanian";
import { lowerCase } from "../letters/fold.ts";
import type { Language } from "./language-rules.ts";

export const romanian: Language = {
  stopWords: `
    acea aceasta această aceea acei aceia acel acela acele acelea acest acesta aceste acestea aceşti aceştia
    acolo acum ai aia aibă aici al ăla ale alea ălea altceva altcineva am ar are aş aşadar asemenea asta
    ăsta astăzi astea ăstea ăştia asupra aţi au avea avem aveţi azi bine bucur bună ca că căci când care
    cărei căror cărui cât câte câţi către câtva ce cel ceva chiar cînd cine cineva cît cîte cîţi cîtva
    contra cu cum cumva curând curînd da dă dacă dar datorită de deci deja deoarece departe deşi din
    dinaintea dintr dintre drept după ea ei el ele eram este eşti eu face fără fi fie fiecare fii fim fiţi
    iar ieri îi îl îmi împotriva în înainte înaintea încât încît încotro între întrucât întrucît îţi la
    lângă le li lîngă lor lui mă mâine mea mei mele mereu meu mi mine mult multă mulţi ne nicăieri nici
    nimeni nişte noastră noastre noi noştri nostru nu ori oricând oricare oricât orice oricînd oricine
    oricît oricum oriunde până pe pentru peste pînă poate pot prea prima primul prin printr sa să săi sale
    sau său se şi sînt sîntem sînteţi spre sub sunt suntem sunteţi ta tăi tale tău te ţi ţie tine toată
    toate tot toţi totuşi tu un una unde undeva unei unele uneori unor vă vi voastră voastre voi voştri
    vostru vouă vreo vreun
  `,
  normalize: (word) => lowerCase(word.normalize("NFC")).replaceAll("ș", "ş").replaceAll("ț", "ţ"),
  stem: stemmer,
};
