"""Update sessions nested in a pause, and replicas whose requests are aborted and taken up again."""

from __future__ import annotations

from tests.helpers.marked import Section

SESSIONS = Section(
    "update sessions",
    """\
class InAStraightLine:
    async def send(self, chunks):
        await self.client.start_weight_update()  # PR001
        for chunk in chunks:
            await self.client.update_named_weights(chunk)
        await self.client.finish_weight_update()


class InAStraightLineUnderAGuard:
    async def send(self, chunks):
        if torch.distributed.get_rank() == 0:
            await self.client.start_weight_update()  # PR001
        async for chunk in chunks:
            await self.push(chunk)
        if torch.distributed.get_rank() == 0:
            await self.client.finish_weight_update()


class Protected:
    async def send(self, chunks):
        await self.client.start_weight_update()
        try:
            for chunk in chunks:
                await self.client.update_named_weights(chunk)
        finally:
            await self.client.finish_weight_update()


class ProtectedUnderAGuard:
    async def send(self, chunks):
        if torch.distributed.get_rank() == 0:
            await self.client.start_weight_update()
        try:
            async for chunk in chunks:
                await self.push(chunk)
        finally:
            if torch.distributed.get_rank() == 0:
                await self.client.finish_weight_update()


class NestedInAProtectedPause:
    async def send(self, request):
        await self.client.pause_generation()
        try:
            await self.client.start_weight_update()  # PR001
            await self.client.update_named_weights(request)
            await self.client.finish_weight_update()
        finally:
            await self.client.resume_generation()


class NestedAndBothProtected:
    async def send(self, request):
        await self.client.pause_generation()
        try:
            await self.client.start_weight_update()
            try:
                await self.client.update_named_weights(request)
            finally:
                await self.client.finish_weight_update()
        finally:
            await self.client.resume_generation()


class BothClosedInOneFinally:
    def send(self, request):
        self.engine.pause_generation()  # PR003
        try:
            self.engine.begin_weight_update()
            self.engine.load(request)
        finally:
            self.engine.end_weight_update()
            self.engine.continue_generation()


class BothOpenedBeforeTheTry:
    def send(self, request):
        self.engine.pause_generation()  # PR001
        self.engine.begin_weight_update()
        try:
            self.engine.load(request)
        finally:
            try:
                self.engine.end_weight_update()
            finally:
                self.engine.continue_generation()


class OneGuardForEach:
    def send(self, request):
        self.engine.pause_generation()
        try:
            self.engine.invalidate_kv_cache()
            self.engine.begin_weight_update()
            try:
                self.engine.load(request)
            finally:
                self.engine.end_weight_update()
        finally:
            self.engine.continue_generation()


class ByTheNamesOfTheLoader:
    def load(self, model, weights):
        model.begin_update_weights()  # PR001
        model.load_weights(weights)
        model.end_update_weights()


class ByTheNamesOfTheLoaderProtected:
    def load(self, model, weights):
        model.begin_update_weights()
        try:
            model.load_weights(weights)
        finally:
            model.end_update_weights()


class FinishedByAnAbort:
    async def send(self, chunks):
        await self.client.start_weight_update()
        try:
            await self.push(chunks)
        except BaseException:
            await self.client.finish_weight_update(abort=True)
            raise
        await self.client.finish_weight_update()
""",
    presets=("all",),
)

REPLICAS = Section(
    "replicas aborted and taken up again",
    """\
class InAStraightLine:
    async def update_weights(self):
        await self.abort_replicas()  # PR001
        await self.transfer()
        await self.resume_generation_replicas()


class OfAManager:
    async def sync(self):
        await self.checkpoint_manager.abort_replicas()  # PR001
        await self.checkpoint_manager.update_weights()
        await self.checkpoint_manager.resume_generation_replicas()


class OfTwoManagers:
    async def validate(self):
        await self.rollouter.abort_replicas()  # PR001
        await self.trainer_side.abort_replicas()  # PR001
        await self.score()
        await self.trainer_side.resume_generation_replicas()
        await self.rollouter.resume_generation_replicas()


class WithTheCache:
    async def update_weights(self):
        await self.abort_replicas()  # PR001
        await self.release_kv_cache_replicas()  # PR001
        await self.transfer()
        await self.resume_kv_cache_replicas()
        await self.resume_generation_replicas()


class EveryReplica:
    async def rebalance(self):
        await asyncio.gather(*[replica.abort_all_requests() for replica in self.replicas])  # PR001
        await self.drain()
        await asyncio.gather(*[replica.resume_generation() for replica in self.replicas])


class AsleepWhileTraining:
    async def train(self):
        await self.manager.sleep_replicas()  # PR001
        await self.step()
        await self.manager.wake_up_replicas()


class Protected:
    async def update_weights(self):
        await self.abort_replicas()
        try:
            await self.transfer()
        finally:
            await self.resume_generation_replicas()


class WithTheCacheProtected:
    async def update_weights(self):
        await self.abort_replicas()
        try:
            await self.release_kv_cache_replicas()
            try:
                await self.transfer()
            finally:
                await self.resume_kv_cache_replicas()
        finally:
            await self.resume_generation_replicas()


class EveryReplicaProtected:
    async def rebalance(self):
        try:
            await asyncio.gather(*[replica.abort_all_requests() for replica in self.replicas])
            await self.drain()
        finally:
            await asyncio.gather(*[replica.resume_generation() for replica in self.replicas])


class AbortedForGood:
    async def cancel(self):
        await self.server.abort_all_requests()
        await self.report()


class AbortedByTheEndOfAStep:
    async def finish_step(self):
        await self.manager.abort_replicas()
        await self.report()


class OfAProvider:
    async def abort_replicas(self):
        await asyncio.gather(*[replica.abort_all_requests() for replica in self.replicas])

    async def resume_generation_replicas(self):
        await asyncio.gather(*[replica.resume_generation() for replica in self.replicas])


class WokenAndAsleepAgain:
    async def validate(self):
        await self.manager.wake_up_replicas()
        await self.score()
        await self.manager.sleep_replicas()
""",
    presets=("all",),
)

REFITS = Section(
    "refits",
    """\
class InAStraightLine:
    def step(self):
        self.collector.prepare_for_refit()  # PR001
        self.refit()
        self.collector.resume_after_refit()


class ByRemoteCalls:
    def step(self):
        ray.get(self.trajectory_collector.prepare_for_refit.remote())  # PR001
        self.refit()
        self.trajectory_collector.resume_after_refit.remote()


class Protected:
    def step(self):
        ray.get(self.trajectory_collector.prepare_for_refit.remote())
        try:
            self.refit()
        finally:
            self.trajectory_collector.resume_after_refit.remote()


class HandledAndReported:
    def step(self):
        ray.get(self.trajectory_collector.pause.remote())
        try:
            self.validate()
        except Exception:
            print("validation failed")
        finally:
            self.trajectory_collector.resume.remote()


class ResumedUnlessStopped:
    def step(self):
        ray.get(self.trajectory_collector.pause.remote())  # PR001
        stop = self.validate()
        if stop is None:
            self.trajectory_collector.resume.remote()


class PreparedByItsOwnHalf:
    def prepare_for_refit(self):
        self.engine.pause()
        self.drain()

    def resume_after_refit(self):
        self.engine.resume()
""",
    presets=("all",),
)

SECTIONS = (SESSIONS, REPLICAS, REFITS)
