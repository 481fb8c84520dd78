// A list of names and values.

export function Figures({
  figures,
}: {
  readonly figures: readonly (readonly [name: string, value: string])[];
}) {
  return (
    <dl class="figures">
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}
