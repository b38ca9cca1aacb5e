import type { Finding } from './finding.ts'
import type { FuzzReport } from './fuzz.ts'

export function formatFinding(seed: string, { kind, target, number, text, inputs }: Finding): string {
  const again = `npm run fuzz -- --seed ${seed} --target ${target} --only-input ${number}`
  const small = inputs.map((input) => `    ${JSON.stringify(input)}`)
  return [
    `${kind} in ${target}, input ${number}: ${text}`,
    ...(small.length > 0 ? ['  smallest inputs that show it (try them with --input):', ...small] : []),
    `  again: ${again}`,
  ].join('\n')
}

export function formatReport({ seed, inputs, seconds, targets, findings }: FuzzReport): string {
  const rows = [
    ['target', 'inputs', 'accepted', 'refused', 'slowest'],
    ...targets.map((each) => [
      each.target,
      String(each.inputs),
      String(each.accepted),
      String(each.refused),
      `${each.slowest.cpuMs.toFixed(0)} ms (input ${each.slowest.number})`,
    ]),
  ]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const table = rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  '),
  )
  const rate = (inputs / seconds).toFixed(0)
  return [
    ...table,
    `${inputs} inputs, seed ${seed}: ${findings.length} findings (${seconds.toFixed(0)} s, ${rate} inputs/s)`,
  ].join('\n')
}
