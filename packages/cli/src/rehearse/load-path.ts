import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import type { CustomResourceDefinition, ResourceDefinition } from '@strata/api'
import type {
  BornObject,
  FormProblem,
  PathStep,
  RehearsalForm,
  RehearsalPath,
  StoredObjects,
  Subject,
} from '@strata/rehearsal'
import { type CrdDocument, readCrds } from '../crd/documents/index.ts'
import { parseCrds, UnreadableCrd } from '../crd/documents/parse-crds.ts'
import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { problemText, type ReadForm, readForm } from './read-form.ts'

export interface LoadedPath {
  readonly file: string
  readonly path: RehearsalPath
  /** Of its kinds. */
  readonly modules: readonly string[]
  /** The line of each step. */
  readonly lines: readonly number[]
}

const mistyped = (message: string, cause?: unknown): CliError =>
  new CliError(message, exitCodes.usage, cause === undefined ? undefined : { cause })

/** What a path may need besides files. */
export interface Reading {
  /** Reads what the cluster of the user has. */
  readonly readCluster?: (limit: number, subject: Subject) => Promise<StoredObjects>
}

/** Reads a rehearsal with everything that it names. Names of files are relative to the file of the rehearsal. */
export async function loadPath(file: string, reading: Reading = {}): Promise<LoadedPath> {
  const text = await readFile(file, 'utf8').catch((error: Error & { code?: string }) => {
    throw mistyped(`${file}: ${error.code === 'ENOENT' ? 'there is no such file' : error.message}`, error)
  })
  return loadForm(readForm(text, file), file, reading)
}

/** Reads everything that a form names. */
export async function loadForm(
  { form, lineOf }: ReadForm,
  file: string,
  reading: Reading = {},
): Promise<LoadedPath> {
  const subject = await loadSubject(form, file)
  const problems = findReleaseProblems(form, subject)
  if (problems.length > 0) throw mistyped(problemText(file, problems, lineOf))
  const steps = await Promise.all(form.steps.map((step) => loadObjects(step, { file, subject, reading })))
  return {
    file,
    modules: form.resources.map((each) => placeOf(each, file)),
    path: { ...form, subject, steps },
    lines: form.steps.map((_, index) => lineOf(`steps[${index}]`)),
  }
}

async function loadSubject(form: RehearsalForm, file: string): Promise<Subject> {
  const at = (path: string): string => placeOf(path, file)
  const { resources, crds, conversions } = form
  if (resources.length > 0) {
    return { kind: 'resources', resources: await loadKinds(resources.map(at)) }
  }
  const releases = new Map<string, readonly CustomResourceDefinition[]>()
  for (const [release, places] of Object.entries(crds)) {
    const [named, given] = [places.filter(isText), places.filter((each) => !isText(each))]
    const documents = [
      ...(named.length > 0 ? await readCrds(named.map(at)) : []),
      ...inlineCrds(given, release),
    ]
    releases.set(
      release,
      documents.map(({ crd }) => crd),
    )
  }
  return {
    kind: 'crds',
    releases,
    conversions: conversions === undefined ? {} : await loadConversions(at(conversions)),
  }
}

/** Relative to the file of the rehearsal. */
const placeOf = (path: string, file: string): string => (isAbsolute(path) ? path : join(dirname(file), path))

const isText = (value: string | object): value is string => typeof value === 'string'

/** CRDs that stand in the rehearsal itself. */
function inlineCrds(crds: readonly object[], release: string): readonly CrdDocument[] {
  try {
    return crds.flatMap((each) => parseCrds(JSON.stringify(each), `crds.${release}`).crds)
  } catch (error) {
    if (error instanceof UnreadableCrd) throw mistyped(error.message, error)
    throw error
  }
}

async function loadKinds(modules: readonly string[]): Promise<readonly ResourceDefinition[]> {
  const { ConfigurationProblem, loadResources } = await import('@strata/server/main')
  try {
    return await loadResources(modules, undefined)
  } catch (error) {
    if (!(error instanceof ConfigurationProblem)) throw error
    throw mistyped(error.message.replace(/^--resources/, 'resources'), error)
  }
}

type Conversions = (Subject & { readonly kind: 'crds' })['conversions']

async function loadConversions(file: string): Promise<Conversions> {
  const { importFile } = await import('@strata/server/main')
  if (!existsSync(file)) throw mistyped(`conversions ${file}: there is no such file`)
  const module = (await importFile(file).catch((error: unknown) => {
    throw mistyped(`conversions ${file}: cannot be loaded as a module: ${(error as Error).message}`, error)
  })) as { readonly conversions?: Conversions }
  const functions = Object.values(module.conversions ?? {})
  if (functions.length > 0 && functions.every((each) => typeof each === 'function')) {
    return module.conversions ?? {}
  }
  throw mistyped(
    `conversions ${file}: the module must export "conversions", an object with a function for each CRD: { 'lamps.light.example.dev': (object, apiVersion) => … }`,
  )
}

/** A release that no kind has would start servers without any of them. */
function findReleaseProblems({ steps }: RehearsalForm, subject: Subject): readonly FormProblem[] {
  if (subject.kind !== 'resources') return []
  const known = [...new Set(subject.resources.flatMap(({ releases }) => Object.keys(releases ?? {})))]
  return steps.flatMap(({ deed }, index) =>
    'to' in deed && !known.includes(deed.to)
      ? [
          {
            field: `steps[${index}].${deed.do}`,
            message: `no kind has the release "${deed.to}"; known: ${known.join(', ')}`,
          },
        ]
      : [],
  )
}

async function loadObjects(
  { objects, ...step }: RehearsalForm['steps'][number],
  { file, subject, reading }: { readonly file: string; readonly subject: Subject; readonly reading: Reading },
): Promise<PathStep> {
  if (typeof objects === 'number') return { ...step, objects }
  if (objects === undefined) return step
  if ('snapshot' in objects) {
    const { readSnapshotObjects } = await import('./read-snapshot-objects.ts')
    const snapshot = placeOf(objects.snapshot, file)
    return { ...step, objects: await readSnapshotObjects({ ...objects, snapshot }, subject) }
  }
  if ('cluster' in objects) {
    if (!reading.readCluster) throw mistyped('objects.cluster: there is no cluster to read here')
    return { ...step, objects: await reading.readCluster(objects.limit, subject) }
  }
  if (!('file' in objects)) return { ...step, objects: objects as readonly BornObject[] }
  const { readManifests } = await import('@strata/testing/manifests')
  const place = placeOf(objects.file, file)
  try {
    return { ...step, objects: (await readManifests([place])) as unknown as readonly BornObject[] }
  } catch (error) {
    throw mistyped(`objects: ${(error as Error).message}`, error)
  }
}
