import { stringify } from 'yaml'

/** The output for programs. */
export function printDocument(document: unknown, form: 'json' | 'yaml'): string {
  return form === 'json' ? JSON.stringify(document, undefined, 2) : printYaml(document)
}

/** Lines are not folded: yaml 2 garbles a quoted text that it folds deep inside. */
export function printYaml(document: unknown): string {
  return stringify(document, { lineWidth: 0 }).trimEnd()
}
