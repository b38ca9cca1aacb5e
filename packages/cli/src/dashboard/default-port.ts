/** The same one at each start: a bookmark of the page keeps its address, and the browser its choice of colours. */
export const defaultDashboardPort = 6480
