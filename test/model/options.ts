import { parseArgs } from 'node:util'
import { type Story, stories } from './story.ts'

export interface ModelOptions {
  readonly stories: readonly Story[]
  readonly isSmall: boolean
  readonly maxStates: number
  readonly output: 'text' | 'json'
  readonly help: boolean
}

export class UsageError extends Error {}

export const usage = `usage: npm run model -- [options]
Visits every state that the agreement protocol can reach at a small size, and demands every promise in each.

  --story NAME      only this one, instead of all (${stories.map(({ name }) => name).join(', ')})
  --small           with one process fewer
  --max-states N    give up behind that many states, and exit with 1 (50,000,000)
  -o json           print one JSON object for each story instead of text
  --help            print this

examples:
  npm run model -- --story takeover
  npm run model -- --small -o json

stories:
${stories.map(({ name, says }) => `  ${name.padEnd(12)} ${says}`).join('\n')}`

export function parseOptions(args: readonly string[]): ModelOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      story: { type: 'string' },
      small: { type: 'boolean', default: false },
      'max-states': { type: 'string', default: '50000000' },
      output: { type: 'string', short: 'o', default: 'text' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const maxStates = Number(values['max-states'])
  if (!Number.isSafeInteger(maxStates) || maxStates < 1) {
    throw new UsageError(`--max-states takes a whole number, not ${values['max-states']}`)
  }
  if (values.output !== 'text' && values.output !== 'json') {
    throw new UsageError(`-o takes text or json, not ${values.output}`)
  }
  const found = values.story === undefined ? stories : stories.filter(({ name }) => name === values.story)
  if (found.length === 0) throw new UsageError(`there is no story ${values.story}; see --help`)
  return { stories: found, isSmall: values.small, maxStates, output: values.output, help: values.help }
}
