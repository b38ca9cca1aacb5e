import {
  mostInterleavings,
  mostObjects,
  mostServers,
  mostSnapshotObjects,
  usualSnapshotObjects,
} from './form-limits.ts'
import { type Deed, type PlannedStep, type RehearsalForm, serverKinds, verdicts } from './rehearsal-form.ts'

/** A field that is wrong, and what to write instead. */
export interface FormProblem {
  /** `steps[2].late` */
  readonly field: string
  readonly message: string
}

const topFields = [
  'server',
  'servers',
  'coordination',
  'interleavings',
  'resources',
  'crds',
  'conversions',
  'steps',
]
const deeds = [
  'release',
  'upgrade',
  'rollback',
  'crash',
  'start',
  'freeze',
  'thaw',
  'migrate',
  'prune',
] as const
const besides = ['late', 'objects', 'expect']

/** Reads the parsed file of a rehearsal. Pure: names of other files are not followed. */
export function readRehearsal(
  value: unknown,
): { readonly form: RehearsalForm } | { readonly problems: readonly FormProblem[] } {
  const reader = new Reader()
  const form = reader.read(value)
  return reader.problems.length > 0 || form === undefined ? { problems: reader.problems } : { form }
}

type Fields = Readonly<Record<string, unknown>>
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

class Reader {
  readonly problems: FormProblem[] = []
  #servers = 3

  read(value: unknown): RehearsalForm | undefined {
    if (!isFields(value)) return this.#wrong('', 'the file has to be a mapping with "steps"')
    this.#onlyKnown(value, topFields, '')
    this.#servers = this.#whole(value['servers'], 'servers', 1, mostServers) ?? 3
    const resources = this.#texts(value['resources'], 'resources') ?? []
    const crds = this.#crds(value['crds'])
    const releases = Object.keys(crds)
    if (resources.length > 0 === releases.length > 0) {
      this.#wrong(
        resources.length > 0 ? 'crds' : 'resources',
        'give either "resources", modules with kinds, or "crds", folders by release: "crds: {v1.0: old/, v1.1: new/}"',
      )
    }
    const server = this.#oneOf(value['server'], 'server', serverKinds) ?? 'strata'
    const coordination = this.#oneOf(value['coordination'], 'coordination', ['report', 'vote'] as const)
    if (coordination !== undefined && server !== 'strata') {
      this.#wrong(
        'coordination',
        'kube-apiservers do not agree on a version: leave it out, or say "server: strata"',
      )
    }
    return {
      ...{ server, servers: this.#servers, coordination: coordination ?? 'report', resources, crds },
      interleavings: this.#whole(value['interleavings'], 'interleavings', 0, mostInterleavings) ?? 12,
      conversions: this.#text(value['conversions'], 'conversions'),
      steps: this.#steps(value['steps'], releases),
    }
  }

  #steps(value: unknown, releases: readonly string[]): readonly PlannedStep[] {
    if (!Array.isArray(value) || value.length === 0) {
      this.#wrong('steps', 'has to be a list that begins with a release: "- release: v1.0"')
      return []
    }
    return value.flatMap((each, index) => this.#step(each, `steps[${index}]`, index === 0, releases) ?? [])
  }

  #step(value: unknown, at: string, isFirst: boolean, releases: readonly string[]): PlannedStep | undefined {
    if (!isFields(value)) return this.#wrong(at, `has to be a mapping such as "upgrade: v1.1"`)
    this.#onlyKnown(value, [...deeds, ...besides], `${at}.`)
    const named = deeds.filter((each) => value[each] !== undefined)
    const [word] = named
    if (named.length > 1)
      return this.#wrong(
        `${at}.${named[1]}`,
        `a step does one thing: make it a step of its own, after "${word}"`,
      )
    if (isFirst !== (word === 'release')) {
      return isFirst
        ? this.#wrong(at, 'the first step has to be the release at which all begins: "release: v1.0"')
        : this.#wrong(`${at}.release`, 'only the first step is a release: say "upgrade" or "rollback"')
    }
    const deed = word === undefined ? this.#write(value, at) : this.#deed(word, value, at, releases)
    const objects = this.#objects(value['objects'], `${at}.objects`)
    const source = (['snapshot', 'cluster'] as const).find((each) => isFields(objects) && each in objects)
    if (source !== undefined && !isFirst) {
      this.#wrong(
        `${at}.objects.${source}`,
        `a ${source} is what the servers start with: move it to the first step`,
      )
    }
    if (source === 'cluster' && releases.length === 0) {
      this.#wrong(`${at}.objects.cluster`, 'a cluster is read for CRDs only: give "crds", or a snapshot')
    }
    const expect = this.#oneOf(value['expect'], `${at}.expect`, verdicts)
    return deed && { deed, objects, expect }
  }

  #write(value: Fields, at: string): Deed | undefined {
    if (value['objects'] !== undefined) return { do: 'write' }
    return this.#wrong(at, `does nothing: say one of ${deeds.join(', ')}, or "objects"`)
  }

  #deed(
    word: (typeof deeds)[number],
    value: Fields,
    at: string,
    releases: readonly string[],
  ): Deed | undefined {
    const field = `${at}.${word}`
    const isRoll = word === 'release' || word === 'upgrade' || word === 'rollback'
    if (value['late'] !== undefined && (!isRoll || word === 'release')) {
      this.#wrong(`${at}.late`, 'belongs to an upgrade or a rollback: it names the servers that stay behind')
    }
    if (isRoll) {
      const to = this.#text(value[word], field)
      if (to === undefined) return undefined
      if (releases.length > 0 && !releases.includes(to)) {
        return this.#wrong(field, `"${to}" is not under "crds"; there are: ${releases.join(', ')}`)
      }
      return { do: word, to, late: this.#late(value['late'], `${at}.late`) }
    }
    if (word === 'migrate' || word === 'prune') {
      if (word === 'prune' && releases.length === 0) {
        return this.#wrong(field, 'only CRDs have storedVersions to prune: leave the step out')
      }
      const resources = value[word] === 'all' ? [] : this.#texts(value[word], field)
      return resources && { do: word, resources }
    }
    const server = this.#whole(value[word], field, 1, this.#servers)
    return server === undefined ? undefined : { do: word, server }
  }

  #late(value: unknown, field: string): readonly number[] {
    if (value === undefined) return []
    const given = Array.isArray(value) ? value : [value]
    const late = given.flatMap((each) => this.#whole(each, field, 1, this.#servers) ?? [])
    if (new Set(late).size === this.#servers)
      this.#wrong(field, 'every server is late: leave one out, so that the release is somewhere')
    return late
  }

  #objects(value: unknown, field: string): PlannedStep['objects'] {
    if (value === undefined) return undefined
    if (typeof value === 'number') return this.#whole(value, field, 0, mostObjects)
    if (Array.isArray(value)) {
      const isManifest = (each: unknown): boolean =>
        isFields(each) &&
        typeof each['apiVersion'] === 'string' &&
        typeof each['kind'] === 'string' &&
        isFields(each['metadata'])
      const bad = value.findIndex((each) => !isManifest(each))
      if (bad < 0) return value as readonly object[]
      return this.#wrong(`${field}[${bad}]`, 'has to be an object with apiVersion, kind and metadata.name')
    }
    if (isFields(value) && typeof value['file'] === 'string' && Object.keys(value).length === 1) {
      return { file: value['file'] }
    }
    if (isFields(value) && value['snapshot'] !== undefined) return this.#snapshot(value, field)
    if (isFields(value) && value['cluster'] !== undefined) return this.#cluster(value, field)
    return this.#wrong(
      field,
      'has to be a number, a list of manifests, {file: objects.yaml}, or in the first step {snapshot: etcd.db} or {cluster: true}',
    )
  }

  #snapshot(value: Fields, field: string): PlannedStep['objects'] {
    this.#onlyKnown(value, ['snapshot', 'limit'], `${field}.`)
    const snapshot = this.#text(value['snapshot'], `${field}.snapshot`)
    const limit = this.#whole(value['limit'], `${field}.limit`, 1, mostSnapshotObjects)
    return snapshot === undefined ? undefined : { snapshot, limit: limit ?? usualSnapshotObjects }
  }

  #cluster(value: Fields, field: string): PlannedStep['objects'] {
    this.#onlyKnown(value, ['cluster', 'limit'], `${field}.`)
    const limit =
      this.#whole(value['limit'], `${field}.limit`, 1, mostSnapshotObjects) ?? usualSnapshotObjects
    if (value['cluster'] === true) return { cluster: true, limit }
    return this.#wrong(`${field}.cluster`, 'has to be true: the kubeconfig and --context say which one')
  }

  #crds(value: unknown): RehearsalForm['crds'] {
    if (value === undefined) return {}
    if (!isFields(value) || Object.keys(value).length === 0) {
      this.#wrong(
        'crds',
        'has to be a mapping from releases to folders or files: "{v1.0: old/crds, v1.1: new/crds}"',
      )
      return {}
    }
    return Object.fromEntries(
      Object.entries(value).map(([release, given]) => [release, this.#crdsOf(given, `crds.${release}`)]),
    )
  }

  #crdsOf(value: unknown, field: string): readonly (string | object)[] {
    const given = Array.isArray(value) ? value : [value]
    const isOne = (each: unknown): boolean =>
      (typeof each === 'string' && each !== '') ||
      (isFields(each) && each['kind'] === 'CustomResourceDefinition')
    if (given.length > 0 && given.every(isOne)) return given
    this.#wrong(field, 'has to be a file or folder with CRDs, a CustomResourceDefinition, or a list of these')
    return []
  }

  #onlyKnown(value: Fields, known: readonly string[], at: string): void {
    for (const field of Object.keys(value)) {
      if (!known.includes(field))
        this.#wrong(`${at}${field}`, `there is no such field; there are: ${known.join(', ')}`)
    }
  }

  #texts(value: unknown, field: string): readonly string[] | undefined {
    if (value === undefined) return undefined
    const given = Array.isArray(value) ? value : [value]
    return given.every((each) => typeof each === 'string' && each !== '')
      ? given
      : this.#wrong(field, 'has to be a text, or a list of texts')
  }

  /** A release such as 1.2 is a number in YAML, and 1.10 would lose its zero. */
  #text(value: unknown, field: string): string | undefined {
    if (value === undefined || (typeof value === 'string' && value !== '')) return value
    const hint = typeof value === 'number' ? `: write it in quotes, "${value}"` : ''
    return this.#wrong(field, `has to be a text${hint}`)
  }

  #whole(value: unknown, field: string, least: number, most: number): number | undefined {
    if (value === undefined) return undefined
    if (Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most) return Number(value)
    return this.#wrong(
      field,
      `is ${JSON.stringify(value)}, and has to be a whole number from ${least} to ${most}`,
    )
  }

  #oneOf<Word extends string>(value: unknown, field: string, words: readonly Word[]): Word | undefined {
    if (value === undefined) return undefined
    if (words.includes(value as Word)) return value as Word
    return this.#wrong(field, `is ${JSON.stringify(value)}, and has to be one of: ${words.join(', ')}`)
  }

  #wrong(field: string, message: string): undefined {
    this.problems.push({ field, message })
    return undefined
  }
}
