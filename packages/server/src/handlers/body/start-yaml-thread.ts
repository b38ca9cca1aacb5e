import { Worker } from 'node:worker_threads'

/** Many times the longest body. Only a malicious text needs more. */
const resourceLimits = { maxOldGenerationSizeMb: 768 }

/**
 * The one place that knows the file of the thread: beside this file, with the same extension. In a bundle, another
 * `startYamlThread` replaces this one (tools/bundle-command.ts).
 */
export function startYamlThread(): Worker {
  const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const entry = new URL(`./yaml-thread.${ending}`, import.meta.url)
  return new Worker(entry, { name: 'yaml', resourceLimits })
}
