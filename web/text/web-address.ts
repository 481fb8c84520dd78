// Which texts of documents may become links: addresses of the web, and nothing that a browser would run.

export const isWebAddress = (text: string) => /^https?:\/\/\S+$/i.test(text) && URL.canParse(text);
