import type { Given } from '../resources/given-flags.ts'
import type { RotationStep } from './decide-rotation.ts'
import type { ElsewhereStep } from './decide-rotation-elsewhere.ts'
import { shortKey } from './key-text.ts'
import {
  providerSnippet,
  type WantedRule,
  withKeyAdded,
  withKeyFirst,
  withoutKeys,
} from './provider-snippet.ts'
import type { RotationReport } from './rotation-report.ts'

type Step = RotationStep | ElsewhereStep
type Advice = Pick<RotationReport, 'next' | 'snippet'>

export interface AdviceFacts {
  readonly rules: readonly WantedRule[]
  /** The same command, with its flags. */
  readonly again: string
  readonly given: Given
  readonly names: readonly string[]
}

/** What the operator does now, with the exact text of the file; and how to go on. */
export function adviceFor(step: Step, { rules, again, given, names }: AdviceFacts): Advice {
  const inFiles = (
    keysOf: (keys: readonly string[]) => readonly string[],
    newKey?: string,
  ): Pick<RotationReport, 'snippet'> => ({
    snippet: providerSnippet(
      rules.map((rule) => ({ ...rule, keys: keysOf(rule.keys) })),
      newKey,
    ),
  })
  const then = `Then: ${again}`
  switch (step.step) {
    case 'begin':
      return { next: [] }
    case 'blocked':
      return { next: [`When that is put right: ${again}`] }
    case 'add':
      return {
        next: [
          `Put ${shortKey(step.to)} behind the key that writes now, in the file of --encryption-provider-config of every server${missing(step)}. The new secret is the same everywhere. Without --encryption-provider-config-automatic-reload, restart each server.`,
          then,
        ],
        ...inFiles((keys) => withKeyAdded(keys, step.to), step.to),
      }
    case 'load':
      if (step.because !== undefined)
        return {
          next: [
            `Start ${step.servers.join(', ')} with this file: set --encryption-provider-config, and restart. ${then}`,
            `If servers are older than 1.34, see that each has the file, then: strata migrate ${names.join(' ')}${given.strata}`,
          ],
        }
      return {
        next: [
          `Give ${step.servers.join(', ')} this file. Without --encryption-provider-config-automatic-reload, restart each server that has an older one.`,
          then,
        ],
      }
    case 'promote':
      return {
        next: [
          `Put ${shortKey(step.to)} first in the file of every server${missing(step)}, and leave the other keys behind it.`,
          then,
        ],
        ...inFiles((keys) => withKeyFirst(keys, step.to)),
      }
    case 'agree':
      return { next: [`A server writes with the key as soon as all others read it. Then: ${again}`] }
    case 'wait':
      return { next: [`Run it again in a minute: ${again}`] }
    case 'rewrite':
      return {
        next: [
          `Rewrite them: ${again} --yes`,
          `The same by hand: strata migrate ${names.join(' ')}${given.strata}`,
        ],
      }
    case 'drop':
      return {
        next: [`Take ${step.keys.map(shortKey).join(', ')} out of the file of every server.`, then],
        ...inFiles((keys) => withoutKeys(keys, step.keys)),
      }
    case 'done':
      return { next: [] }
  }
}

function missing(step: Step): string {
  return 'servers' in step && step.servers.length > 0 ? ` (${step.servers.join(', ')})` : ''
}
