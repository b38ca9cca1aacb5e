import { Worker } from 'node:worker_threads'

/** Many times the longest text; a text that needs more is made to need more. */
const resourceLimits = { maxOldGenerationSizeMb: 768 }

/**
 * The one place that knows where the code of the thread is: beside this file, with the same ending. When everything is
 * bundled into one file, another `startYamlThread` takes the place of this one (tools/bundle-command.ts).
 */
export function startYamlThread(): Worker {
  const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const entry = new URL(`./yaml-thread.${ending}`, import.meta.url)
  return new Worker(entry, { name: 'yaml', resourceLimits })
}
