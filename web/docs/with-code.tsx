// A sentence of the server's description, in which `code` stands between backticks.

export function WithCode({ text }: { readonly text: string }) {
  return (
    <>
      {text.split("`").map((part, i) => (
        <span key={i}>{i % 2 === 1 ? <code>{part}</code> : part}</span>
      ))}
    </>
  );
}
