// Text of strangers, fit to be looked at: control characters, which a browser draws as nothing or as anything, become
// their pictures (␀ for a null byte). One character stays one, so that places in the text stay where they are.

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

export function visible(text: string): string {
  return text.replace(CONTROLS, (character) => {
    const code = character.charCodeAt(0);
    return String.fromCharCode(code === 0x7f ? 0x2421 : 0x2400 + code);
  });
}
