import { parseArgs } from 'node:util'

export interface SceneOptions {
  readonly help: boolean
  readonly kubeconfig: string
  readonly kubectl: string
  /** A strata command to try, in place of the one of this clone. */
  readonly strata: string | undefined
  /** Parts of names of scenes; none: all of them. */
  readonly only: readonly string[]
  readonly concurrency: number
  readonly verbose: boolean
}

export class UsageError extends Error {}

export const usage = `npm run e2e:cluster -- --kubeconfig FILE [options]

Plays reports of users against a cluster: what today's tools do, and what Strata does instead. Each scene has a namespace and CRDs
of its own (scene-…, ….scenes.example.dev) and removes them. It needs the rights of an administrator, and changes nothing else.

  --kubeconfig FILE   the cluster: Strata or any other with Kubernetes 1.25 or newer
  --only TEXT         only scenes whose thread contains TEXT, separated by commas
  --concurrency N     how many scenes at once (default 4)
  --kubectl FILE      the kubectl to use (default: STRATA_KUBECTL, else kubectl)
  --strata FILE       the strata command to use (default: that of this clone)
  -v, --verbose       print each command and what it said; of failed scenes it is always printed
  --help              print this

Exit codes:
  0    every scene passed, or the cluster has no place for it ("not here" says why)
  1    a scene failed
  2    an option is wrong

Outside of Strata each migration waits for about a minute before its first write, so that all scenes take a few minutes.

Examples:
  $ npm run e2e:cluster -- --kubeconfig ~/.kube/config
  $ npm run e2e:cluster -- --kubeconfig kind.yaml --only flux2,longhorn -v
  $ npm run e2e:cluster -- --kubeconfig kind.yaml --strata /usr/local/bin/strata`

export function parseOptions(args: readonly string[], environment: NodeJS.ProcessEnv): SceneOptions {
  const { values } = readArguments(args)
  const { help = false, kubeconfig, kubectl, strata, only, concurrency = '4', verbose = false } = values
  if (kubeconfig === undefined && !help)
    throw new UsageError('--kubeconfig: name the kubeconfig of the cluster')
  const number = Number(concurrency)
  if (!Number.isInteger(number) || number < 1)
    throw new UsageError(`--concurrency ${concurrency}: give a number from 1`)
  return {
    ...{ help, kubeconfig: kubeconfig ?? '', kubectl: kubectl ?? environment['STRATA_KUBECTL'] ?? 'kubectl' },
    ...{ strata, verbose, concurrency: number },
    only: (only ?? '').split(',').filter((each) => each !== ''),
  }
}

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        ...{ help: { type: 'boolean' }, kubeconfig: { type: 'string' }, kubectl: { type: 'string' } },
        ...{ strata: { type: 'string' }, only: { type: 'string' }, concurrency: { type: 'string' } },
        verbose: { type: 'boolean', short: 'v' },
      },
    } as const)
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error })
  }
}
