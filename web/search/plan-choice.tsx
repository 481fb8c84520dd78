import { type Address, planOf } from "../address/address.ts";
import { useAddress } from "../address/use-address.ts";
import { Link } from "../shell/link.tsx";
import { plainText } from "../text/numbers.ts";

/** The share of a query's weight for two stages, when the URL has none. The playground offers other values. */
const FIRST_MASS = 0.5;

const NONE: Partial<Address> = { exact: undefined, theta: undefined, mass: undefined, candidates: undefined };

/** Chooses the plan: the server's choice, exact, or the paper's two stages. */
export function PlanChoice() {
  const [address, go] = useAddress();
  const plan = planOf(address);
  const heavy =
    plan.kind === "pruned" && plan.theta !== undefined
      ? `words above θ = ${plainText(plan.theta)} first`
      : `the heaviest ${plainText(100 * (address.mass ?? FIRST_MASS))} % of the query first`;
  const ways = [
    { kind: "auto", label: "automatic", change: {} },
    { kind: "exact", label: "exact", change: { exact: true } },
    { kind: "pruned", label: heavy, change: { mass: FIRST_MASS } },
  ] as const;
  return (
    <fieldset>
      <legend>How to search</legend>
      {ways.map(({ kind, label, change }) => (
        <label key={kind} class="choice">
          <input
            type="radio"
            name="plan"
            checked={plan.kind === kind}
            onChange={() => go({ ...NONE, ...change })}
          />
          <span>{label}</span>
        </label>
      ))}
      <p class="quiet">
        <Link change={{ view: "playground" }}>Compare them in the playground</Link>
      </p>
    </fieldset>
  );
}
