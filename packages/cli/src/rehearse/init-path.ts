import { basename, dirname, resolve } from 'node:path'
import { storageVersionNameOf } from '@strata/api'
import { type CrdDocument, readCrds } from '../crd/documents/index.ts'
import { printYaml } from '../output/document.ts'

/** A rehearsal of the way through these releases, older ones first: each is a file or folder with CRDs. */
export async function initPath(places: readonly string[]): Promise<string> {
  const releases = new Map<string, { readonly place: string; readonly crds: readonly CrdDocument[] }>()
  for (const place of places) releases.set(nameOf(place, releases), { place, crds: await readCrds([place]) })
  const all = [...releases]
  const names = all.map(([name]) => name)
  const [first = '', ...later] = names
  const last = all.at(-1)?.[1].crds ?? []
  const before = all.at(-2)?.[1].crds ?? []
  const document = {
    crds: Object.fromEntries(all.map(([name, { place }]) => [name, place])),
    steps: [
      { release: first, objects: 5 },
      ...later.slice(0, -1).map((name) => ({ upgrade: name, objects: 5 })),
      ...(drops(before, last) ? [{ migrate: 'all' }, { prune: 'all' }] : []),
      { upgrade: names.at(-1), objects: 5 },
      { rollback: names.at(-2) },
    ],
  }
  return `# yaml-language-server: $schema=rehearsal.schema.json\n${notes}\n${printYaml(document)}`
}

const notes = `# For completion in editors: strata rehearse --schema > rehearsal.schema.json
# "server: kube-apiserver" plays the same path on servers without a fence.`

/** Whether the new release lacks a version that the one before stores: then it goes in only after a migration. */
function drops(before: readonly CrdDocument[], after: readonly CrdDocument[]): boolean {
  return before.some(({ name, crd }) => {
    const next = after.find((each) => each.name === name)
    const stored = storageVersionNameOf(crd)
    return next !== undefined && !next.crd.spec.versions?.some((each) => each.name === stored)
  })
}

/** `v1.17` of `v1.17/crds` and of `v1.17.yaml`; with a number if there is another one. */
function nameOf(place: string, taken: ReadonlyMap<string, unknown>): string {
  const plain = basename(resolve(place)).replace(/\.(?:ya?ml|json)$/i, '')
  const named = /^(?:crds?|manifests|bases)$/i.test(plain) ? basename(dirname(resolve(place))) : plain
  for (let number = 1; ; number++) {
    const name = number === 1 ? named : `${named}-${number}`
    if (!taken.has(name)) return name
  }
}
