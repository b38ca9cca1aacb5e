/**
 * What would happen to a field: it would be gone, have another value, or the new schema would refuse it. `unseen`: it
 * is not known, because the server refused the dry run that would have shown it.
 */
export type LossKind = 'lost' | 'changed' | 'refused' | 'unseen'

/** Stands for the path of what is unseen. No Kubernetes API names a field like this. */
export const notCompared = 'not-compared'

/** One finding in one object. */
export interface LossFinding {
  readonly kind: LossKind
  /** `spec.rules[0].port` */
  readonly path: string
  /** `default/one`, or `one`. */
  readonly object: string
  /** The words of the API server, for a refusal and for what is unseen. */
  readonly message?: string
}

/** The same finding in several objects and list items. */
export interface LossGroup {
  readonly kind: LossKind
  /** With `[*]` for the position in a list. */
  readonly path: string
  readonly objects: number
  /** The first of them. */
  readonly examples: readonly string[]
  readonly message?: string
  readonly accepted: boolean
}

const mostExamples = 3

/** Collects findings of many objects. An object that is read in several versions counts once. */
export class LossGroups {
  readonly #groups = new Map<string, { group: LossGroup; readonly seen: Set<string> }>()
  readonly #accepted: readonly string[]
  readonly #definition: string

  constructor(definition: string, accepted: readonly string[]) {
    this.#definition = definition
    this.#accepted = accepted.map(generalPath)
  }

  add({ kind, path, object, message }: LossFinding): void {
    const general = generalPath(path)
    const key = `${kind} ${general}`
    const { group, seen } = this.#groups.get(key) ?? {
      group: this.#start(kind, general, message),
      seen: new Set<string>(),
    }
    if (seen.has(object)) return
    seen.add(object)
    const examples = group.examples.length < mostExamples ? [...group.examples, object] : group.examples
    this.#groups.set(key, { group: { ...group, objects: group.objects + 1, examples }, seen })
  }

  /** Whether any of the findings is one that the user accepts: then the object is worth saving. */
  accepts(findings: readonly LossFinding[]): boolean {
    return findings.some(({ path }) => this.#isCovered(generalPath(path)))
  }

  get all(): readonly LossGroup[] {
    return [...this.#groups.values()]
      .map(({ group }) => group)
      .sort((one, other) => one.path.localeCompare(other.path))
  }

  get isAccepted(): boolean {
    return this.all.every(({ accepted }) => accepted)
  }

  #isCovered(path: string): boolean {
    return this.#accepted.some((each) => coversLoss(each, this.#definition, path))
  }

  #start(kind: LossKind, path: string, message: string | undefined): LossGroup {
    const accepted = this.#isCovered(path)
    return { kind, path, objects: 0, examples: [], ...(message === undefined ? {} : { message }), accepted }
  }
}

/** The paths of --accept-loss at which nothing is lost in any of these CRDs. What is unseen shows only after the first write. */
export function unneededAcceptances(
  accepted: readonly string[],
  seen: readonly { readonly name: string; readonly losses: readonly Pick<LossGroup, 'path'>[] }[],
): readonly string[] {
  return accepted.filter(
    (each) =>
      each.split(':').at(-1) !== notCompared &&
      !seen.some(({ name, losses }) => losses.some(({ path }) => coversLoss(generalPath(each), name, path))),
  )
}

/** `PATH`, or `CRD:PATH` for one CRD; a path covers what is below it. */
function coversLoss(accepted: string, definition: string, path: string): boolean {
  const own = `${definition}:`
  const wanted = accepted.startsWith(own) ? accepted.slice(own.length) : accepted
  return path === wanted || path.startsWith(`${wanted}.`) || path.startsWith(`${wanted}[`)
}

const generalPath = (path: string): string => path.replaceAll(/\[\d+\]/g, '[*]')
