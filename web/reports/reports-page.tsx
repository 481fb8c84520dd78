// The list of reports of experiments.

import { useAddress } from "../address/use-address.ts";
import { listReports } from "../api/calls.ts";
import { useAnswer } from "../api/use-answer.ts";
import { Link } from "../shell/link.tsx";
import { Failure, Waiting } from "../shell/states.tsx";
import { ReportView } from "./report-view.tsx";

export function ReportsPage() {
  const [{ report }] = useAddress();
  return <div class="reports">{report === undefined ? <ReportList /> : <ReportView name={report} />}</div>;
}

function ReportList() {
  const { answer, error } = useAnswer("all" as const, (_, signal) => listReports(signal));
  return (
    <>
      <h1>Reports</h1>
      {error && <Failure error={error} />}
      {!answer && !error && <Waiting what="the reports" />}
      {answer?.reports.length === 0 && (
        <p>
          There are no reports. <code>sluice experiment … --out FOLDER</code> writes reports;{" "}
          <code>sluice serve … --reports FOLDER</code> shows them here.
        </p>
      )}
      <ul class="report-list">
        {answer?.reports.map(({ name, title, made }) => (
          <li key={name}>
            <Link change={{ report: name }}>
              <bdi>{title}</bdi>
            </Link>
            <span class="quiet">
              {name} · {made}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
