import { type Exploration, explore } from './explore.ts'
import { type ModelOptions, parseOptions, UsageError, usage } from './options.ts'
import { type Story, smaller } from './story.ts'

const print = (text: string): void => void process.stdout.write(`${text}\n`)
/** States between two lines of progress. */
const stride = 500_000

function run(story: Story, { maxStates, output }: ModelOptions): boolean {
  const startedMs = performance.now()
  let told = 0
  const found = explore(story, {
    maxStates,
    onProgress: (states, waiting) => {
      if (output === 'json' || states < told + stride) return
      told = states
      print(`${story.name}: ${states} states, ${waiting} to look at next`)
    },
  })
  const seconds = (performance.now() - startedMs) / 1000
  print(
    output === 'json'
      ? JSON.stringify({ story: story.name, processes: story.slots.length, ...found, seconds })
      : describe(story, found, seconds),
  )
  return found.isWhole && !found.broken
}

function describe({ name, slots }: Story, found: Exploration, seconds: number): string {
  const size = `${found.states} states, ${found.steps} steps, ${found.records} records, ${found.depth} deep, ${slots.length} processes, ${seconds.toFixed(1)} s`
  if (found.broken) {
    const trace = found.broken.trace.map((line, index) => `  ${index + 1}. ${line}`).join('\n')
    return `${name}: BROKEN ${found.broken.promise}\n${trace}\n${size}`
  }
  return `${name}: ${found.isWhole ? 'every state visited, every promise holds' : 'given up, not all states visited'}: ${size}`
}

try {
  const options = parseOptions(process.argv.slice(2))
  if (options.help) print(usage)
  else {
    const held = options.stories.map((story) => run(options.isSmall ? smaller(story) : story, options))
    process.exitCode = held.every(Boolean) ? 0 : 1
  }
} catch (error) {
  const isUsage =
    error instanceof UsageError || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS')
  if (!isUsage) throw error
  process.stderr.write(`${(error as Error).message}\n${usage}\n`)
  process.exitCode = 2
}
