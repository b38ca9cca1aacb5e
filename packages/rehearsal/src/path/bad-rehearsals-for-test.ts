const crds = { 'v1.0': 'old', 'v1.1': ['new', 'more'] }

/** All of the bad ones are this one with one mistake. */
export const goodRehearsal = {
  crds,
  steps: [
    { release: 'v1.0', objects: 3 },
    { upgrade: 'v1.1', late: 2 },
  ],
}

const steps = (...more: readonly unknown[]) => ({ ...goodRehearsal, steps: [{ release: 'v1.0' }, ...more] })

/** What is wrong with a rehearsal, and what the reader says about it. `rehearsal-schema.test.ts` shows them to the schema. */
export const badRehearsals: ReadonlyArray<[name: string, value: unknown, field: string, message: RegExp]> = [
  ['no mapping', [1], '', /has to be a mapping with "steps"/],
  ['a misspelt field', { ...goodRehearsal, step: [] }, 'step', /no such field; there are: server, /],
  [
    'an unknown server',
    { ...goodRehearsal, server: 'k3s' },
    'server',
    /"k3s".*one of: strata, kube-apiserver/,
  ],
  [
    'CRDs of another kind',
    { ...goodRehearsal, crds: { 'v1.0': [{ kind: 'Pod' }], 'v1.1': 'new' } },
    'crds.v1.0',
    /a file or folder with CRDs/,
  ],
  ['too many servers', { ...goodRehearsal, servers: 99 }, 'servers', /is 99.*from 1 to 9/],
  [
    'neither kinds nor CRDs',
    { steps: goodRehearsal.steps },
    'resources',
    /give either "resources".*or "crds"/,
  ],
  ['kinds and CRDs', { ...goodRehearsal, resources: 'kinds.ts' }, 'crds', /give either/],
  [
    'votes without Strata',
    { ...goodRehearsal, server: 'kube-apiserver', coordination: 'vote' },
    'coordination',
    /leave it out/,
  ],
  ['no steps', { crds, steps: [] }, 'steps', /begins with a release/],
  [
    'a first step that is no release',
    { crds, steps: [{ upgrade: 'v1.1' }] },
    'steps[0]',
    /first step has to be the release/,
  ],
  ['a second release', steps({ release: 'v1.1' }), 'steps[1].release', /say "upgrade" or "rollback"/],
  [
    'two deeds in one step',
    steps({ crash: 1, migrate: 'all' }),
    'steps[1].migrate',
    /a step of its own, after "crash"/,
  ],
  ['a step that does nothing', steps({ expect: 'safe' }), 'steps[1]', /does nothing: say one of release/],
  ['a misspelt deed', steps({ upgarde: 'v1.1' }), 'steps[1].upgarde', /no such field/],
  [
    'an unknown release',
    steps({ upgrade: 'v2' }),
    'steps[1].upgrade',
    /"v2" is not under "crds"; there are: v1.0, v1.1/,
  ],
  [
    'a release that YAML takes for a number',
    steps({ upgrade: 1.1 }),
    'steps[1].upgrade',
    /write it in quotes, "1.1"/,
  ],
  ['a server that is not there', steps({ crash: 4 }), 'steps[1].crash', /is 4.*from 1 to 3/],
  [
    'a late server that is not there',
    steps({ upgrade: 'v1.1', late: [0] }),
    'steps[1].late',
    /is 0.*from 1 to 3/,
  ],
  ['every server late', steps({ upgrade: 'v1.1', late: [1, 2, 3] }), 'steps[1].late', /leave one out/],
  ['late without an upgrade', steps({ migrate: 'all', late: 3 }), 'steps[1].late', /belongs to an upgrade/],
  [
    'objects of no form',
    steps({ objects: 'many' }),
    'steps[1].objects',
    /a number, a list of manifests, \{file/,
  ],
  [
    'a snapshot later than at the start',
    steps({ migrate: 'all', objects: { snapshot: 'etcd.db' } }),
    'steps[1].objects.snapshot',
    /move it to the first step/,
  ],
  [
    'a cluster by its name',
    { crds, steps: [{ release: 'v1.0', objects: { cluster: 'blue' } }] },
    'steps[0].objects.cluster',
    /has to be true: the kubeconfig and --context/,
  ],
  [
    'a cluster for kinds of a program',
    { resources: 'k.ts', steps: [{ release: 'x', objects: { cluster: true } }] },
    'steps[0].objects.cluster',
    /for CRDs only/,
  ],
  [
    'a snapshot without a limit that makes sense',
    { crds, steps: [{ release: 'v1.0', objects: { snapshot: 'etcd.db', limit: 0 } }] },
    'steps[0].objects.limit',
    /is 0.*from 1 to 10000/,
  ],
  [
    'an object without kind',
    steps({ objects: [{ apiVersion: 'v1' }] }),
    'steps[1].objects[0]',
    /apiVersion, kind and metadata.name/,
  ],
  [
    'an unknown verdict',
    steps({ migrate: 'all', expect: 'fine' }),
    'steps[1].expect',
    /one of: safe, unsafe, refused, could not see/,
  ],
  [
    'a prune without CRDs',
    { resources: 'k.ts', steps: [{ release: 'x' }, { prune: 'all' }] },
    'steps[1].prune',
    /only CRDs/,
  ],
]
