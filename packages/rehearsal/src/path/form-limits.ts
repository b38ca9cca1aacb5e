export const mostServers = 9
export const mostObjects = 1_000
export const mostInterleavings = 200
/** Each object is read through every server, in every version, after every step. */
export const usualSnapshotObjects = 200
export const mostSnapshotObjects = 10_000
