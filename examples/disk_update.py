"""New weights through shared storage: if saving them fails, generation stays paused and rollouts wait for ever."""


class Trainer:
    def __init__(self, rollout_engine, model, rank):
        self.rollout_engine = rollout_engine
        self.model = model
        self.rank = rank

    def update_weights(self, path):
        if self.rank == 0:
            self.rollout_engine.pause_generation()
            loaded = self.rollout_engine.load_from_disk(path)

        self.model.save(path)

        if self.rank == 0:
            loaded.result()
            self.rollout_engine.continue_generation()

        self.model.barrier()
