import { counted } from '@strata/insight'
import type { LossGroup } from './loss-groups.ts'

export function lossText({ kind, path, objects, examples, message, accepted }: LossGroup): string {
  const where = `${counted(objects, 'object')}: ${examples.join(', ')}${objects > examples.length ? ', …' : ''}`
  if (kind === 'unseen') return `${unseenText(objects)}: ${examples[0]}: ${message}`
  const end = accepted ? ' (accepted)' : ''
  const what = {
    lost: `${path} would be lost`,
    changed: `${path} would get another value`,
    refused: `the new schema refuses ${message ?? path}`,
  }[kind]
  return `${what} in ${where}${end}`
}

const unseenText = (objects: number): string =>
  `${counted(objects, 'object')} could not be compared with what the conversion webhook keeps`
