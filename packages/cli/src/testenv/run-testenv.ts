import { access } from 'node:fs/promises'
import { ConfigurationProblem, loadResources } from '@strata/server/main'
import { type Cluster, startCluster } from '@strata/testing'
import { createLog, type Log } from '@strata/world'
import type { CliContext } from '../context.ts'
import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { untilParentEnds } from './until-parent-ends.ts'

export interface TestenvOptions {
  readonly crds: readonly string[]
  readonly resources: readonly string[]
  readonly release: string | undefined
  readonly kubernetesVersion: string | undefined
  /** Undefined for the usual ones. */
  readonly controllers: readonly string[] | undefined
  readonly port: number | undefined
}

/** Runs the server until the signal is aborted or the process that started this one has ended. */
export async function runTestenv(options: TestenvOptions, context: CliContext): Promise<void> {
  const { world, signal, print } = context
  const cluster = await start(options, context)
  try {
    const { url, kubeconfig, ca, token } = cluster.endpoint ?? {}
    print(JSON.stringify({ url, kubeconfig, ca, token, pid: world.processes.self.pid }))
    await untilParentEnds(context, signal)
  } finally {
    await cluster.stop()
  }
}

/** What a server says of its everyday work would stand between the lines of a test runner. */
const warningsOf = (log: Log): Log =>
  createLog((level, message, fields) => {
    if (level === 'warn' || level === 'error') log[level](message, fields)
  })

async function start(options: TestenvOptions, { world, environment }: CliContext): Promise<Cluster> {
  const { crds, release, kubernetesVersion, controllers, port } = options
  for (const path of crds)
    await access(path).catch((error: NodeJS.ErrnoException) => {
      const why = error.code === 'ENOENT' ? 'there is no such file or folder' : error.message
      throw new CliError(`--crds ${path}: ${why}`, exitCodes.usage, { cause: error })
    })
  try {
    return await startCluster({
      crds,
      resources: await loadResources(options.resources, release),
      ...(release === undefined ? {} : { release }),
      ...(kubernetesVersion === undefined ? {} : { kubernetesVersion }),
      ...(controllers === undefined ? {} : { controllers }),
      listen: port === undefined ? true : { port },
      log: environment['STRATA_LOG_LEVEL'] === 'debug' ? world.log : warningsOf(world.log),
    })
  } catch (error) {
    const isMistake =
      error instanceof ConfigurationProblem || error instanceof TypeError || error instanceof RangeError
    if (!isMistake) throw error
    const message = error.message.replace(/^kubernetesVersion(?= )/, '--kubernetes-version')
    throw new CliError(message, exitCodes.usage, { cause: error })
  }
}
