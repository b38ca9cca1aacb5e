import { REQUIRED_MAJOR } from '../../packages/cli/bin/pinned-node.mjs'

/** The package.json of the command as one package that needs no other. */
export const commandManifest = (version: string): Readonly<Record<string, unknown>> => ({
  name: 'strata',
  version,
  description: 'Keeps stored API objects readable through every upgrade and every rollback.',
  license: 'Apache-2.0',
  type: 'module',
  engines: { node: `>=${REQUIRED_MAJOR}` },
  // npm only warns of a Node that is too old; bin/strata.mjs says what to install instead.
  bin: { strata: 'bin/strata.mjs', 'kubectl-strata': 'bin/strata.mjs' },
  files: ['bin', 'dist', 'NOTICES'],
})
