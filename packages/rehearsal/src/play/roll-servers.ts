import type { LabServer } from '../lab/lab.ts'
import { type RehearsalRun, serverText } from './rehearsal-run.ts'
import { useObjects } from './use-objects.ts'

const readyMs = 120_000

/** Starts the first release on every server. */
export async function startServers(run: RehearsalRun, release: string): Promise<void> {
  for (const server of run.lab.servers) server.start(release)
  const isReady = await run.lab.until(() => run.lab.servers.every((each) => each.isReady), readyMs)
  run.tell('server', `all servers start${run.path.subject.kind === 'resources' ? ` release ${release}` : ''}`)
  if (!isReady)
    await notReady(
      run,
      run.lab.servers.find((each) => !each.isReady),
      release,
    )
}

/** Takes every server but the late ones to a release, one after the other, while clients write and read. */
export async function rollServers(
  run: RehearsalRun,
  release: string,
  late: readonly number[],
): Promise<void> {
  for (const server of run.lab.servers) {
    if (late.includes(server.number)) {
      run.tell('server', `${serverText(server)} stays behind, with release ${server.release}`, server)
      continue
    }
    const before = server.release
    await server.stop()
    run.tell('server', `${serverText(server)} stops`, server)
    if (!(await startOne(run, server, release))) {
      await notReady(run, server, release)
      await server.stop()
      await startOne(run, server, before)
      return
    }
    await useObjects(run)
  }
}

/** False if it does not become ready. */
export async function startOne(run: RehearsalRun, server: LabServer, release: string): Promise<boolean> {
  server.start(release)
  const isReady = await run.lab.until(() => server.isReady, readyMs)
  const ready = isReady ? 'is ready' : 'is not ready'
  run.tell('server', `${serverText(server)} starts release ${release}, and ${ready}`, server)
  return isReady
}

async function notReady(run: RehearsalRun, server: LabServer | undefined, release: string): Promise<void> {
  if (!server) return
  const reply = await run.lab.ask(server, { method: 'GET', target: '/readyz/storage-decodable' })
  const why = reply === undefined || reply.status === 200 ? '' : `: ${plain(reply.body.message)}`
  const message = `${serverText(server)} does not become ready with release ${release}, and goes back${why}`
  run.find({ level: 'refused', rule: 'not-ready', message, server: server.number })
}

const plain = (text: string): string => text.replace(/^internal server error: /, '').trim()
