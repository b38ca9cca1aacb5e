import { stringify } from 'yaml'

/** For programs. */
export function printDocument(document: unknown, form: 'json' | 'yaml'): string {
  return form === 'json' ? JSON.stringify(document, undefined, 2) : stringify(document).trimEnd()
}
