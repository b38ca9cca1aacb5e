// Loads several test files into one process: to start one and to load what all of them import takes longer than most
// of them do. Each becomes a suite, so that what it does before and after each of its tests is done for its own alone.
// JavaScript for the reason that the reporter is.
import { AsyncResource } from 'node:async_hooks'
import { describe } from 'node:test'
import { pathToFileURL } from 'node:url'

let loaded = Promise.resolve()
for (const path of process.argv.slice(2)) {
  describe(path, () => {
    // Bound: a test belongs to the suite in whose course it was made, and not to that of the file loaded before.
    const load = AsyncResource.bind(() => import(pathToFileURL(path).href))
    // One after the other, as a file may count on nobody else's code running while its own is loaded; whether the one
    // before could be loaded is told by its own suite.
    loaded = loaded.then(load, load)
    return loaded
  })
}
