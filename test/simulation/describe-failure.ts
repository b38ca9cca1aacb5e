import { runSeed } from './run-seed.ts'
import { sabotageNamed } from './sabotage.ts'
import { fixedShape, type SeedReport } from './seed-pool.ts'

const linesShown = 40

/** The broken promise, what happened just before, and how to see it again. */
export async function describeFailure(
  report: Pick<SeedReport, 'seed' | 'sabotage' | 'troubleMs' | 'aggregated' | 'violations'>,
): Promise<string> {
  const { seed, sabotage, troubleMs, aggregated, violations } = report
  const [first, ...others] = violations
  if (!first) return `seed ${seed}: nothing was broken`
  const lines: string[] = []
  if (first.checker !== 'simulation') {
    // The same seed is the same run, so that the trace need not be kept until someone asks for it.
    await runSeed({
      seed,
      sabotage: sabotageNamed(sabotage),
      shape: fixedShape(report),
      onTraceLine: (line) => {
        if (Number.parseFloat(line) > first.atMs) return
        lines.push(line)
        if (lines.length > linesShown) lines.shift()
      },
    })
  }
  const options = [
    `--seed ${seed}`,
    ...(sabotage === undefined ? [] : [`--sabotage ${sabotage}`]),
    ...(troubleMs === undefined ? [] : [`--minutes ${troubleMs / 60_000}`]),
    ...(aggregated ? ['--aggregated'] : []),
  ]
  return [
    `seed ${seed}: ${first.checker} broken at ${first.atMs.toFixed(3)} ms`,
    `  ${first.text}`,
    ...others.slice(0, 5).map(({ checker, text }) => `  also ${checker}: ${text}`),
    ...(others.length > 5 ? [`  and ${others.length - 5} more`] : []),
    ...lines.map((line) => `    ${line}`),
    `  replay: npm run sim -- ${options.join(' ')} --trace`,
  ].join('\n')
}
