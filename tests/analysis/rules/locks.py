"""Engine locks: held while an engine is updated, got by spinning or by waiting; and locks that are none of ours."""

from __future__ import annotations

from tests.helpers.marked import Section

OURS = Section(
    "the lock of an engine",
    """\
class InAStraightLine:
    def update(self):
        self.rollout_engine_lock.acquire()  # PR001
        self.push()
        self.rollout_engine_lock.release()


class ByRemoteCalls:
    def update(self):
        ray.get(self.rollout_engine_lock.acquire.remote())  # PR001
        self.push()
        ray.get(self.rollout_engine_lock.release.remote())


class Spinning:
    def update(self):
        while not ray.get(self.rollout_engine_lock.acquire.remote()):  # PR001
            time.sleep(0.1)
        self.push()
        ray.get(self.rollout_engine_lock.release.remote())


class SpinningUnderAGuard:
    def update(self):
        if dist.get_rank() == 0:
            while not ray.get(self.rollout_engine_lock.acquire.remote()):  # PR001
                time.sleep(0.1)
        self.push()
        if dist.get_rank() == 0:
            ray.get(self.rollout_engine_lock.release.remote())


class SpinningProtected:
    def update(self):
        while not ray.get(self.rollout_engine_lock.acquire.remote()):
            time.sleep(0.1)
        try:
            self.push()
        finally:
            ray.get(self.rollout_engine_lock.release.remote())


class SpinningProtectedUnderAGuard:
    def update(self):
        if dist.get_rank() == 0:
            while not ray.get(self.rollout_engine_lock.acquire.remote()):
                time.sleep(0.1)
        try:
            self.push()
        finally:
            if dist.get_rank() == 0:
                ray.get(self.rollout_engine_lock.release.remote())


class SpinningWithALimit:
    def update(self, tries):
        for _ in range(tries):
            if self.engine_lock.acquire(blocking=False):
                break
            time.sleep(0.1)
        else:
            raise TimeoutError("the engine is busy")
        try:
            self.push()
        finally:
            self.engine_lock.release()


class SpinningForEver:
    def update(self):
        while True:
            if ray.get(self.engine_lock.acquire.remote()):
                break
            time.sleep(0.1)
        try:
            self.push()
        finally:
            ray.get(self.engine_lock.release.remote())


class SpinningForEverInAStraightLine:
    def update(self):
        while True:
            if ray.get(self.engine_lock.acquire.remote()):  # PR001
                break
            time.sleep(0.1)
        self.push()
        ray.get(self.engine_lock.release.remote())


class SpinningByAWalrus:
    def update(self):
        while not (got := ray.get(self.engine_lock.acquire.remote())):
            time.sleep(0.1)
        try:
            self.push(got)
        finally:
            ray.get(self.engine_lock.release.remote())


class AWeightLock:
    async def update(self):
        await self.weight_update_lock.acquire()  # PR001
        await self.push()
        self.weight_update_lock.release()


class AWeightLockProtected:
    async def update(self):
        await self.weight_update_lock.acquire()
        try:
            await self.push()
        finally:
            self.weight_update_lock.release()


class AsAContext:
    def update(self):
        with self.engine_lock:
            self.push()


class AsAnAsynchronousContext:
    async def update(self):
        async with self.weight_update_lock:
            await self.push()


class InEveryRound:
    def update(self, buckets):
        for bucket in buckets:
            while not ray.get(self.rollout_engine_lock.acquire.remote()):  # PR001
                time.sleep(0.1)
            self.push(bucket)
            ray.get(self.rollout_engine_lock.release.remote())


class InEveryRoundProtected:
    def update(self, buckets):
        for bucket in buckets:
            while not ray.get(self.rollout_engine_lock.acquire.remote()):
                time.sleep(0.1)
            try:
                self.push(bucket)
            finally:
                ray.get(self.rollout_engine_lock.release.remote())


class NestedInAPause:
    def update(self):
        self.engine.pause_generation()
        try:
            self.engine_lock.acquire()
            try:
                self.push()
            finally:
                self.engine_lock.release()
        finally:
            self.engine.continue_generation()


class NestedInAPauseInAStraightLine:
    def update(self):
        self.engine.pause_generation()
        try:
            self.engine_lock.acquire()  # PR001
            self.push()
            self.engine_lock.release()
        finally:
            self.engine.continue_generation()


class ReleasedBeforeTheResume:
    def update(self):
        self.engine_lock.acquire()  # PR001
        self.engine.pause_generation()  # PR003
        try:
            self.push()
        finally:
            self.flush()
            self.engine_lock.release()
            self.engine.continue_generation()
""",
    presets=("all",),
    unfixed={"SpinningForEverInAStraightLine": "a loop that is left once the lock is got"},
)

OTHERS = Section(
    "locks that are none of ours",
    """\
class AnyLock:
    def update(self):
        self.lock.acquire()
        self.push()
        self.lock.release()


class AFileLock:
    def save(self):
        self.file_lock.acquire()
        self.write()
        self.file_lock.release()


class ASemaphore:
    async def generate(self):
        await self.semaphore.acquire()
        await self.engine.generate()
        self.semaphore.release()


class TheSemaphoreOfAnEngine:
    async def generate(self):
        await self.engine_semaphore.acquire()
        await self.engine.generate()
        self.engine_semaphore.release()


class ACacheLock:
    def get(self):
        self.cache_lock.acquire()
        self.read()
        self.cache_lock.release()


class AThreadLock:
    def __init__(self):
        self.guard = threading.Lock()

    def update(self):
        self.guard.acquire()
        self.push()
        self.guard.release()


class AConnectionOfAPool:
    def query(self):
        connection = self.pool.acquire()
        self.run(connection)
        self.pool.release(connection)


class ABlockOfAnEngine:
    def schedule(self):
        self.engine_blocks.acquire()
        self.run()
        self.engine_blocks.release()


def a_clock(clock):
    clock.acquire()
    work()
    clock.release()


class ADatabaseEngine:
    def query(self):
        self.sql_engine.acquire()
        self.run()
        self.sql_engine.release()
""",
    presets=("all",),
)

SECTIONS = (OURS, OTHERS)
