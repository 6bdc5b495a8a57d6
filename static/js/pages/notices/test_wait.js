// Waiting for a test: a worker begins within a minute, and a receiver may take seconds.

const PATIENCE = 90_000;
const EVERY = 2000;

/**
 * Asks every two seconds, until it was tried or has taken too long.
 * @param {() => Promise<boolean>} wasTried
 */
export async function untilTried(wasTried) {
  for (let waited = 0; waited < PATIENCE; waited += EVERY) {
    await new Promise((resolve) => setTimeout(resolve, EVERY));
    if (await wasTried()) return;
  }
}
