/** The medians of one thing that a tester can start. */
export interface Row {
  readonly name: string
  readonly readyMs: number
  /** Of each further cluster in the same process. */
  readonly furtherMs?: number
  readonly memoryBytes: number
  readonly suiteMs: number
}

/** As Markdown, so that it can go into docs/testing.md as it is. */
export function renderTable(rows: readonly Row[], tests: number): string {
  const lines = rows.map(
    ({ name, readyMs, furtherMs, memoryBytes, suiteMs }) =>
      `| ${name} | ${seconds(readyMs)} | ${furtherMs === undefined ? 'as the first' : seconds(furtherMs)} | ${Math.round(memoryBytes / 1e6)} MB | ${seconds(suiteMs)} |`,
  )
  return [`| | ready | each further one | memory | ${tests} tests |`, '|---|---|---|---|---|', ...lines].join(
    '\n',
  )
}

const seconds = (ms: number): string => (ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`)
