import type { ObjectFacts } from './decide-ways.ts'

/** Why an object that the user named cannot be repaired: a name that does not exist is no object in order. */
export function notSetAsideText(object: string, now: ObjectFacts['now']): string {
  switch (now) {
    case 'gone':
      return `--object: ${object} is not found: the cluster has no such object, and no migration has set it aside`
    case 'unseen':
      return `--object: ${object} is not set aside, and could not be read`
    case 'undecodable':
      return `--object: ${object} is not set aside, and cannot be decoded since a moment ago: run this again`
    case 'readable':
      return `--object: ${object} is not set aside, and can be decoded`
  }
}
